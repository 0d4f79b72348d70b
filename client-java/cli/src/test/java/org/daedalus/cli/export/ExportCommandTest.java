package org.daedalus.cli.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Features;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Held;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.HoldBody;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Slice;
import org.daedalus.wire.v1.StatementBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An export asks for a table in three slices, writes it and says so. */
class ExportCommandTest {
    private static final Object[][][] SLICES = {
        {{"a", 1}, {"", null}}, {}, {{"x,\"y\"\n", -3}, {" z ", 4}, {"\u00fc", 5}},
    };
    private static final String TEXT =
            "rloc,product_id\na,1\n\"\",\n\"x,\"\"y\"\"\n\",-3\n\" z \",4\n\u00fc,5\n";

    @RegisterExtension
    private final Said said = new Said();
    private final List<Slice> asked = new ArrayList<>();
    private final long[] moments = {7, 7, 7};
    private int busy;
    private boolean breaksOff;
    private boolean holdsMoments = true;
    private final List<List<Long>> held = new CopyOnWriteArrayList<>();

    @TempDir
    private Path directory;

    @Test
    void shouldRefuseANameOfAnotherFormatAndSayWhichThereAre() {
        for (String name : new String[] {"x.parquet", "x.JSON", "x.csv.zst"}) {
            said.forget();
            Path file = directory.resolve(name);
            assertThat(Main.runCommand("export", file.toString(), "--cluster", "127.0.0.1:1")).isEqualTo(2);
            assertThat(said.err()).startsWith("daedalus: cannot write " + file + ": an export is CSV, and .")
                    .contains("FILE.csv.gz");
            assertThat(directory).isEmptyDirectory();
        }
    }

    private void answer(FakeAggregator fake, Operation operation) {
        StatementBody statement;
        try {
            if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_HOLD) {
                held.add(HoldBody.parseFrom(operation.getBody()).getMomentsList());
                fake.answer(operation, Result.newBuilder().setHeld(Held.newBuilder().setOldest(7)));
                return;
            }
            statement = StatementBody.parseFrom(operation.getBody());
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
        assertThat(operation.getHeader().getAt()).isEqualTo(7);
        assertThat(operation.getHeader().getIsFirm()).isTrue();
        if (!statement.hasSlice()) {
            ByteWriter packed = new ByteWriter(16);
            ColumnType bigint = ColumnType.of(ColumnType.Kind.BIGINT);
            PackedRows.append(List.of(bigint), new Object[] {5L}, packed);
            fake.answer(operation, Result.newBuilder().setRows(QueryRows.newBuilder().setRowCount(1)
                    .addColumns(Column.newBuilder().setName("count").setType(WireTypes.toMessage(bigint)))
                    .setRows(ByteString.copyFrom(packed.toByteArray()))));
            fake.answer(operation, Result.newBuilder().setEnd(QueryEnd.newBuilder().setRowCount(1).setMoment(7)));
            return;
        }
        assertThat(statement.getSql()).isEqualTo("SELECT * FROM \"bookings\"");
        asked.add(statement.getSlice());
        // Segment 0 of partition 0, its slots from 50 on, and partition 1.
        int number = statement.getSlice().getPartition() == 1 ? 2 : statement.getSlice().getFirstSlot() == 50 ? 1 : 0;
        fake.answerRows(operation, SLICES[number]);
        if (number == 2 && breaksOff) {
            fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_REJECTED, "XX000", "broken");
            return;
        }
        if (number == 2 && busy-- > 0) {
            fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_RETRY, "53200", "busy");
            return;
        }
        QueryEnd.Builder end = QueryEnd.newBuilder().setRowCount(SLICES[number].length).setMoment(moments[number]);
        if (number == 0) {
            end.setNextSlice(Slice.newBuilder().setFirstSlot(50));
        } else if (number == 1) {
            end.setNextSlice(Slice.newBuilder().setPartition(1));
        }
        fake.answer(operation, Result.newBuilder().setEnd(end));
    }

    private int export(String name, String... options) throws Exception {
        Hello hello = Hello.newBuilder().setClusterId("flights-1").setFeatures(holdsMoments ? Features.MOMENTS : 0)
                .build();
        try (FakeAggregator fake = new FakeAggregator(hello, 0, this::answer)) {
            List<String> arguments = new ArrayList<>(List.of("export", name, "--cluster", fake.endpoint()));
            arguments.addAll(List.of(options));
            said.forget();
            return Main.runCommand(arguments.toArray(String[]::new));
        }
    }

    private List<String> files() throws Exception {
        try (var listed = Files.list(directory)) {
            return listed.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldWriteAllSlicesAtAMomentThatItHoldsAndSayWhichOne() throws Exception {
        Path file = directory.resolve("all.csv");
        assertThat(export(file.toString())).as(said.text()).isZero();
        assertThat(file).hasContent(TEXT);
        assertThat(said.text()).contains("5 rows of bookings at moment 7 (");
        assertThat(asked).hasSize(3);
        assertThat(held).as("it takes a moment").startsWith(List.of(0L));
        assertThat(files()).containsExactly("all.csv");
    }

    @Test
    void shouldKeepNothingWhereASliceIsOfAnotherMomentThanItHolds() throws Exception {
        for (long other : new long[] {8, 6, 0}) {
            moments[2] = other;
            assertThat(export(directory.resolve("all.csv").toString())).isEqualTo(1);
            assertThat(said.err()).contains("a slice of bookings was answered at moment " + other
                    + " (0: at none), although moment 7 was asked for");
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void shouldRefuseAnAggregatorThatHoldsNoMoments() throws Exception {
        holdsMoments = false;
        assertThat(export(directory.resolve("all.csv").toString())).isEqualTo(1);
        assertThat(said.err()).contains("an export is of one moment, which no aggregator that is connected can hold");
        assertThat(asked).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void shouldNotKnowTheOptionThatTookRowsOfSeveralMoments() throws Exception {
        assertThat(export(directory.resolve("all.csv").toString(), "--mixed")).isEqualTo(2);
        assertThat(said.err()).contains("--mixed");
        assertThat(asked).isEmpty();
    }

    @Test
    void shouldCompressWhatIsCalledSo() throws Exception {
        Path file = directory.resolve("all.csv.gz");
        assertThat(export(file.toString())).as(said.text()).isZero();
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(TEXT);
        }
    }

    @Test
    void shouldAskForASliceAgainFromItsStartWhenTheClusterIsBusy() throws Exception {
        Path file = directory.resolve("all.csv");
        busy = 2;
        assertThat(export(file.toString())).as(said.text()).isZero();
        assertThat(file).as("rows that came before the refusal are void").hasContent(TEXT);
        assertThat(asked).hasSize(5);
    }

    @Test
    void shouldLeaveNothingThatLooksWhole() throws Exception {
        breaksOff = true;
        assertThat(export(directory.resolve("all.csv").toString())).isEqualTo(1);
        assertThat(said.text()).contains("broken");
        assertThat(files()).isEmpty();
    }

    @Test
    void shouldNotWriteOverAFileUnlessForced() throws Exception {
        Path file = Files.writeString(directory.resolve("all.csv"), "somebody's");
        assertThat(export(file.toString())).isEqualTo(2);
        assertThat(said.text()).contains("exists").contains("--force");
        assertThat(file).hasContent("somebody's");
        breaksOff = true;
        assertThat(export(file.toString(), "--force")).isEqualTo(1);
        assertThat(file).hasContent("somebody's");
        breaksOff = false;
        assertThat(export(file.toString(), "--force")).as(said.text()).isZero();
        assertThat(file).hasContent(TEXT);
        assertThat(export(directory.toString(), "--force")).isEqualTo(2);
        assertThat(said.text()).contains("is a directory");
        assertThat(export(directory.resolve("none/all.csv").toString())).isEqualTo(2);
        assertThat(said.text()).contains("there is no directory");
        assertThat(export("/dev/null", "--force")).isEqualTo(2);
        assertThat(said.text()).contains("no regular file");
    }

    @Test
    void shouldNotTouchWhatAnotherExportIsWritingButReplaceWhatAKilledOneLeft() throws Exception {
        Path file = directory.resolve("all.csv");
        Path partial = Files.writeString(directory.resolve("all.csv.partial"), "left over");
        try (ExportTarget other = ExportTarget.of(file.toString(), false)) {
            other.open();
            other.stream().write('x');
            assertThat(export(file.toString())).isEqualTo(1);
            assertThat(said.text()).contains("all.csv.partial is being written by another export");
            assertThat(partial).exists();
            other.complete();
        }
        assertThat(file).hasContent("x");
        assertThat(partial).doesNotExist();
    }

    @Test
    void shouldLeaveNothingWhenInterrupted() throws Exception {
        Path file = directory.resolve("all.csv");
        try (ExportTarget target = ExportTarget.of(file.toString(), false)) {
            target.open();
            target.stream().write('x');
            assertThat(target.discard()).isEqualTo("interrupted: " + file + " was not written");
            assertThat(files()).isEmpty();
            assertThatThrownBy(target::complete).isInstanceOf(java.io.IOException.class);
        }
        assertThat(files()).isEmpty();
    }
}
