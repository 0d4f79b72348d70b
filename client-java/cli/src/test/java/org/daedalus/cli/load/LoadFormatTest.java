package org.daedalus.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Distribution;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Files that are written otherwise than RFC 4180 and PostgreSQL do: what is loaded of them. */
class LoadFormatTest {
    private static final List<String> NAMES = List.of("name", "amount", "day", "at", "zoned");
    private static final List<ColumnType> TYPES = List.of(ColumnType.varcharOf(20), ColumnType.numericOf(8, 2),
            ColumnType.of(Kind.DATE), ColumnType.of(Kind.TIMESTAMP), ColumnType.of(Kind.TIMESTAMPTZ));

    @RegisterExtension
    private final Said said = new Said();

    private final List<String> inserted = new ArrayList<>();

    @TempDir
    private Path directory;

    private static DescribeReply table() {
        DescribeReply.Builder table = DescribeReply.newBuilder().setTableName("sales").setMap(
                PartitionMap.newBuilder().setVersion(3).setDistribution(Distribution.DISTRIBUTION_ROUND_ROBIN));
        for (int column = 0; column < NAMES.size(); column++) {
            table.addColumns(Column.newBuilder().setName(NAMES.get(column))
                    .setType(WireTypes.toMessage(TYPES.get(column))).setNullable(true));
        }
        return table.build();
    }

    private void answer(FakeAggregator fake, Operation operation) {
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATUS) {
            fake.answer(operation, Result.newBuilder().setStatus(StatusReply.newBuilder()
                    .addNodes(NodeStatus.newBuilder().setApplied(1))));
            return;
        }
        InsertPart part;
        try {
            part = SubmitBody.parseFrom(operation.getBody()).getUpdate().getParts(0).getInsert();
            PackedRows rows = new PackedRows(TYPES, ByteRange.of(part.getRows().toByteArray()));
            while (rows.hasNext()) {
                inserted.add(String.join("|", Arrays.stream(rows.next()).map(String::valueOf).toList()));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(1)
                .addOutcomes(PartitionOutcome.newBuilder().setRowsMatched(part.getRowCount())
                        .setRowsApplied(part.getRowCount()))));
    }

    private int load(String text, Charset charset, String... options) throws Exception {
        Path file = Files.write(directory.resolve("sales.csv"), text.getBytes(charset));
        return load(List.of(file.toString()), options);
    }

    private int load(List<String> files, String... options) throws Exception {
        inserted.clear();
        try (FakeAggregator fake = new FakeAggregator(this::answer)) {
            fake.describeAs(table());
            List<String> all = Stream.of(List.of("load"), files, List.of("--cluster", fake.endpoint(), "--restart",
                    "--progress-dir", directory.resolve("loads").toString()), List.of(options))
                    .flatMap(List::stream).toList();
            said.forget();
            return Main.runCommand(all.toArray(String[]::new));
        }
    }

    private int load(String text, String... options) throws Exception {
        return load(text, StandardCharsets.UTF_8, options);
    }

    @Test
    void shouldReadTheCharacterSetThatItIsTold() throws Exception {
        String text = "name\nZürich\n€ 5\n";
        assertThat(load(text, Charset.forName("cp1252"), "--encoding", "cp1252")).as(said.text()).isZero();
        assertThat(inserted).containsExactly("Zürich|null|null|null|null", "€ 5|null|null|null|null");
        assertThat(load(text, StandardCharsets.UTF_16, "--encoding", "utf-16")).as(said.text()).isZero();
        assertThat(inserted).hasSize(2);
        assertThat(load(text, Charset.forName("cp1252"))).isEqualTo(1);
        assertThat(said.err()).contains("not valid UTF-8: 0xfc at line 2, byte 2");
        assertThat(load(text, "--encoding", "klingon")).isEqualTo(2);
        assertThat(said.err()).contains("--encoding klingon is no character set");
    }

    @Test
    void shouldSayWhereAByteIsNoneOfTheCharacterSet() throws Exception {
        byte[] bytes = "name\nab\nc?d\n".getBytes(StandardCharsets.UTF_8);
        bytes[9] = (byte) 0x81; // cp1252 has no character there.
        String file = Files.write(directory.resolve("sales.csv"), bytes).toString();
        assertThat(load(List.of(file), "--encoding", "cp1252")).isEqualTo(1);
        assertThat(said.err()).contains("cannot read on after line 2: not windows-1252: 0x81 at byte 10");
    }

    @Test
    void shouldRecodeATextThatIsLongerThanAnyBuffer() throws Exception {
        String text = "name\n" + "Zürich € \uD83D\uDE00\n".repeat(60_000);
        assertThat(load(text, StandardCharsets.UTF_16LE, "--encoding", "UTF-16LE")).as(said.text()).isZero();
        assertThat(inserted).hasSize(60_000).containsOnly("Zürich € \uD83D\uDE00|null|null|null|null");
    }

    @Test
    void shouldReadNumbersWithADecimalComma() throws Exception {
        assertThat(load("name;amount\na;1234,5\nb;-7\n1,5;\n", "--delimiter", ";", "--decimal-comma"))
                .as(said.text()).isZero();
        assertThat(inserted).containsExactly("a|1234.50|null|null|null", "b|-7.00|null|null|null",
                "1,5|null|null|null|null");
        assertThat(load("name;amount\na;1.234,5\n", "--delimiter", ";", "--decimal-comma")).isEqualTo(1);
        assertThat(said.err()).contains("line 2, column 2 (amount): \"1.234,5\" is no number with a decimal comma");
    }

    @Test
    void shouldReadDatesAndTimestampsOfTheFormThatItIsTold() throws Exception {
        assertThat(load("day,at,zoned\n31.01.24,1.2.1999,31.12.69 07:05\n,,\n", "--date-format", "d.M.yyyy",
                "--date-format", "dd.MM.yy[ HH:mm[:ss]]")).as(said.text()).isZero();
        assertThat(inserted).containsExactly(
                "null|null|2024-01-31|1999-02-01T00:00|2069-12-31T07:05:00Z", "null|null|null|null|null");
        assertThat(load("day,at,zoned\n2024-01-02 03:04 +0200,2024-01-02 03:04 +0200,2024-01-02 03:04 +0200\n",
                "--date-format", "uuuu-MM-dd HH:mm xx")).as(said.text()).isZero();
        assertThat(inserted).containsExactly("null|null|2024-01-02|2024-01-02T03:04|2024-01-02T01:04:00Z");
        assertThat(load("day\n31.02.2024\n", "--date-format", "dd.MM.yyyy")).isEqualTo(1);
        assertThat(said.err()).contains("column 1 (day): \"31.02.2024\" is no date of the form dd.MM.yyyy");
        assertThat(load("day\n31.02.2024\n", "--date-format", "dd.bb")).isEqualTo(2);
        assertThat(said.err()).contains("--date-format 'dd.bb' is no pattern of dates");
        assertThat(load("day\n31.02.2024\n", "--date-format", "HH:mm")).isEqualTo(2);
    }

    @Test
    void shouldTakeADelimiterAtTheEndOfEveryLineForNone() throws Exception {
        assertThat(load("name,amount,\na,1,\nb,2\nc,3,\"\"\n", "--reject-file",
                directory.resolve("aside.csv").toString())).as(said.text()).isZero();
        assertThat(inserted).containsExactly("a|1.00|null|null|null", "b|2.00|null|null|null");
        assertThat(said.out()).contains("1 bad line was set aside");
        assertThat(load("name,amount\na,1,\nb,2,\n")).as(said.text()).isZero();
        assertThat(load("name,amount\na,1,,\n")).isEqualTo(1);
        assertThat(said.err()).contains("line 2: 4 fields, but the header has 2");
    }

    @Test
    void shouldPassLinesOverThatBeginWithTheCommentsCharacter() throws Exception {
        assertThat(load("# sales\n#,\"\nname,amount\na,1\n#b,2\nc,#\n# end", "--comment", "#")).isEqualTo(1);
        assertThat(inserted).isEmpty();
        assertThat(said.err()).contains("line 6, column 2 (amount)");
        assertThat(load("# sales\n#,\"\nname,amount\na,1\n#b,2\n\"#c\",3\n# end", "--comment", "#"))
                .as(said.text()).isZero();
        assertThat(inserted).containsExactly("a|1.00|null|null|null", "#c|3.00|null|null|null");
        assertThat(load("name\n#b\n")).isZero();
        assertThat(inserted).containsExactly("#b|null|null|null|null");
        assertThat(load("name\n", "--comment", ",")).isEqualTo(2);
    }

    @Test
    void shouldFailWhereEveryLineOfAllFilesIsSetAside() throws Exception {
        Path one = Files.writeString(directory.resolve("one.csv"), "day\nx\n");
        Path two = Files.writeString(directory.resolve("two.csv"), "day\ny\n");
        assertThat(load(List.of(one.toString(), two.toString()), "--reject-file",
                directory.resolve("aside").toString())).isEqualTo(1);
        assertThat(said.err()).contains("no row is in: every line of 2 files was set aside in ");
    }

    @Test
    void shouldMendWhatWasSetAsideOfAnotherCharacterSet() throws Exception {
        Path aside = directory.resolve("aside.csv");
        String[] options = {"--encoding", "cp1252", "--date-format", "dd.MM.yyyy", "--reject-file", aside.toString()};
        assertThat(load("name,day\nZürich,x\na,1.1.2024\nBern,02.01.2024\n", Charset.forName("cp1252"), options))
                .as(said.text()).isZero();
        Files.writeString(aside, Files.readString(aside).replace("Zürich,x", "Zürich,03.01.2024")
                .replace("a,1.1.2024", "a,01.01.2024"));
        assertThat(load(List.of(aside.toString()), "--mended", "--encoding", "cp1252", "--date-format", "dd.MM.yyyy"))
                .as(said.text()).isZero();
        assertThat(inserted).containsExactly("Zürich|null|2024-01-03|null|null", "a|null|2024-01-01|null|null");
    }
}
