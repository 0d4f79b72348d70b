package org.daedalus.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Everything that rows may come from, and what is said where they cannot. */
class LoadInputTest {
    private final InputStream realIn = System.in;
    @RegisterExtension
    private final Said said = new Said();

    private final List<String> inserted = new ArrayList<>();
    /** The batch with this number, from 1, has an unknown outcome; 0: none. */
    private int lost;
    private int batches;
    private long timestamp;

    @TempDir
    private Path directory;

    @AfterEach
    void release() {
        System.setIn(realIn);
    }

    private void answer(FakeAggregator fake, Operation operation) {
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATUS) {
            fake.answer(operation, Result.newBuilder().setStatus(
                    StatusReply.newBuilder().addNodes(NodeStatus.newBuilder().setApplied(timestamp))));
            return;
        }
        InsertPart part;
        try {
            SubmitBody body = SubmitBody.parseFrom(operation.getBody());
            part = body.getUpdate().getParts(0).getInsert();
            boolean isBatch = body.getUpdate().getParts(0).hasInsert();
            if (isBatch && ++batches == lost) {
                fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_UNKNOWN, "08007", "the writer is lost");
                return;
            }
            PackedRows rows = new PackedRows(List.of(FakeAggregator.VARCHAR, FakeAggregator.INT),
                        ByteRange.of(part.getRows().toByteArray()));
            while (rows.hasNext()) {
                Object[] row = rows.next();
                inserted.add(row[0] + "=" + row[1]);
            }
            timestamp = isBatch || timestamp == 0 ? timestamp + 1 : timestamp;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder()
                .setTimestamp(part.getRowCount() == 0 ? 1 : timestamp).addOutcomes(PartitionOutcome.newBuilder()
                        .setRowsMatched(part.getRowCount()).setRowsApplied(part.getRowCount()))));
    }

    private int load(String what, String... options) throws Exception {
        try (FakeAggregator fake = new FakeAggregator(this::answer)) {
            List<String> arguments = new ArrayList<>(List.of("load", what, "--cluster", fake.endpoint(),
                    "--progress-dir", directory.resolve("loads").toString(), "--batch-rows", "2"));
            arguments.addAll(List.of(options));
            said.forget();
            return Main.runCommand(arguments.toArray(String[]::new));
        }
    }

    private String write(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private static byte[] compressed(String text) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private String said() {
        return said.text();
    }

    @Test
    void shouldLoadStandardInputPlainAndCompressed() throws Exception {
        System.setIn(new ByteArrayInputStream("rloc,product_id\na,1\nb,2\nc,3\n".getBytes(StandardCharsets.UTF_8)));
        assertThat(load("-")).as(said()).isZero();
        System.setIn(new ByteArrayInputStream(compressed("rloc,product_id\nd,4\n")));
        assertThat(load("-")).as(said()).isZero();
        assertThat(inserted).containsExactly("a=1", "b=2", "c=3", "d=4");
        assertThat(directory.resolve("loads")).as("nothing to go on with").doesNotExist();
    }

    @Test
    void shouldSayHowFarStandardInputCame() throws Exception {
        byte[] bytes = "rloc,product_id\na,1\nb,2\nc,3\nd,x\n".getBytes(StandardCharsets.UTF_8);
        System.setIn(new ByteArrayInputStream(bytes));
        assertThat(load("-")).isEqualTo(1);
        assertThat(said()).contains("standard input: line 5, column 2 (product_id)").contains("2 rows are in")
                .contains("Everything before line 4 is in; the same input with --from-line 4 brings the rest.")
                .doesNotContain("same command");
        System.setIn(new ByteArrayInputStream(new String(bytes, StandardCharsets.UTF_8).replace("x", "4")
                .getBytes(StandardCharsets.UTF_8)));
        assertThat(load("-", "--from-line", "4")).as(said()).isZero();
        assertThat(inserted).containsExactly("a=1", "b=2", "c=3", "d=4");
        System.setIn(new ByteArrayInputStream(bytes));
        lost = batches + 1;
        assertThat(load("-")).isEqualTo(1);
        assertThat(said()).contains("2 more may be").contains("find out what is in from there on");
    }

    @Test
    void shouldGoOnWithACompressedFile() throws Exception {
        Path file = directory.resolve("rows.csv.gz");
        Files.write(file, compressed("rloc,product_id\na,1\nb,2\nc,3\nd,x\ne,5\n"));
        assertThat(load(file.toString())).isEqualTo(1);
        assertThat(said()).contains("line 5").contains("The same command goes on from here.");
        // Mended: the bytes of the file are others, what was sent of its text is not.
        Files.write(file, compressed("rloc,product_id\na,1\nb,2\nc,3\nd,4\ne,5\n"));
        assertThat(load(file.toString())).as(said()).isZero();
        assertThat(said()).contains("5 rows are in (2 of them by earlier runs)");
        assertThat(inserted).containsExactly("a=1", "b=2", "c=3", "d=4", "e=5");
        assertThat(load(file.toString())).isEqualTo(1);
        assertThat(said()).contains("all its 5 rows are in since an earlier run");
    }

    @Test
    void shouldSayThatACompressedFileIsCutShortAndGoOnWithTheWholeOne() throws Exception {
        StringBuilder text = new StringBuilder("rloc,product_id\n");
        for (int i = 0; i < 2_000; i++) {
            text.append("r").append(i * 7919 % 10_007).append(',').append(i).append('\n');
        }
        byte[] whole = compressed(text.toString());
        Path file = directory.resolve("rows.csv.gz");
        Files.write(file, java.util.Arrays.copyOf(whole, whole.length / 2));
        assertThat(load(file.toString())).isEqualTo(1);
        assertThat(said()).contains("the compressed file ends too early").contains("The same command goes on");
        Files.write(file, whole);
        assertThat(load(file.toString())).as(said()).isZero();
        assertThat(inserted).hasSize(2_000).doesNotHaveDuplicates();
    }

    @Test
    void shouldSplitAtAnyDelimiter() throws Exception {
        String tabs = write("tabs.csv", "rloc\tproduct_id\n\"a\tb\"\t1\nc,d\t2\n");
        assertThat(load(tabs)).isEqualTo(1);
        assertThat(said()).contains("has no column \"rloc\tproduct_id\": is --delimiter tab meant?");
        assertThat(load(tabs, "--delimiter", "tab")).as(said()).isZero();
        assertThat(load(write("t2.csv", "rloc\tproduct_id\ne\t3\n"), "--delimiter", "\\t")).as(said()).isZero();
        assertThat(load(write("semicolons.csv", "rloc;product_id\n\"f;\"\"\";4\n"), "--delimiter", ";")).isZero();
        assertThat(inserted).containsExactly("a\tb=1", "c,d=2", "e=3", "f;\"=4");
        for (String wrong : List.of("", "\"", "\n", "ab", "§")) {
            assertThat(load(tabs, "--delimiter", wrong)).as(wrong).isEqualTo(2);
            assertThat(said()).contains("--delimiter must be one ASCII character");
        }
    }

    @Test
    void shouldMendRecordsWithTheDelimiterThatTheyHave() throws Exception {
        Path aside = directory.resolve("aside.csv");
        String file = write("rows.csv", "rloc;product_id\na;1\nb;x\n");
        assertThat(load(file, "--delimiter", ";", "--reject-file", aside.toString())).as(said()).isZero();
        Files.writeString(aside, Files.readString(aside).replace("b;x", "b;2"));
        assertThat(load(aside.toString(), "--mended", "--delimiter", ";")).as(said()).isZero();
        assertThat(inserted).containsExactly("a=1", "b=2");
    }

    @Test
    void shouldTakeBlankLinesAtTheEndForNothingAndOthersForBadLines() throws Exception {
        assertThat(load(write("end.csv", "rloc,product_id\na,1\nb,2\n\r\n\n\n"))).as(said()).isZero();
        assertThat(load(write("middle.csv", "rloc,product_id\nc,3\n\n\nd,4\n"))).isEqualTo(1);
        assertThat(said()).contains("line 3: a blank line");
        Path aside = directory.resolve("aside.csv");
        assertThat(load(directory.resolve("middle.csv").toString(), "--restart", "--reject-file", aside.toString()))
                .as(said()).isZero();
        assertThat(said()).contains("2 rows are in, 2 bad lines were set aside");
        assertThat(Files.readAllLines(aside)).hasSize(4)
                .contains("3,\"\",\"a blank line\",\"\"", "4,\"\",\"a blank line\",\"\"");
        assertThat(inserted).containsExactly("a=1", "b=2", "c=3", "d=4");
    }

    @Test
    void shouldTakeABlankLineForARowWhereThereIsOneColumn() throws Exception {
        assertThat(load(write("one.csv", "rloc\na\n\n"))).isEqualTo(1);
        assertThat(said()).contains("line 3, column 1 (rloc): NULL in a column that is NOT NULL");
    }

    @Test
    void shouldLoadTheFilesOfADirectoryInTheOrderOfTheirNamesAndGoOnAcrossThem() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        Files.writeString(files.resolve("2.csv"), "rloc,product_id\nc,3\nd,4\ne,x\n");
        Files.writeString(files.resolve("1.csv"), "rloc,product_id\na,1\nb,2\n");
        Files.write(files.resolve("3.csv.gz"), compressed("product_id,rloc\n6,f\n"));
        Files.writeString(files.resolve("README"), "not a table\n");
        assertThat(load(files.toString())).isEqualTo(1);
        assertThat(said()).contains("1 other file is left out").contains("1.csv: 2 rows are in")
                .contains("2.csv: line 4, column 2").contains("The same command goes on from here.");
        Files.writeString(files.resolve("2.csv"), "rloc,product_id\nc,3\nd,4\ne,5\n");
        assertThat(load(files.toString())).as(said()).isZero();
        assertThat(said()).contains("6 rows of 3 files are in (1 file by earlier runs)");
        assertThat(inserted).containsExactly("a=1", "b=2", "c=3", "d=4", "e=5", "f=6");
        assertThat(load(files.toString())).isEqualTo(1);
        assertThat(said()).contains("all 6 rows of its 3 files are in since earlier runs");
        Files.writeString(files.resolve("4.csv"), "rloc,product_id\ng,7\n");
        assertThat(load(files.toString())).as(said()).isZero();
        assertThat(inserted).hasSize(7).endsWith("g=7");
    }

    @Test
    void shouldSetBadLinesOfADirectorysFilesAsideFileByFile() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        Path aside = directory.resolve("aside");
        Files.writeString(files.resolve("1.csv"), "rloc,product_id\na,x\n");
        Files.write(files.resolve("2.csv.gz"), compressed("product_id,rloc\ny,b\n"));
        Files.writeString(files.resolve("3.csv"), "rloc,product_id\nc,3\n");
        assertThat(load(files.toString(), "--reject-file", aside.toString())).as(said()).isZero();
        assertThat(Files.readAllLines(aside.resolve("1.csv"))).hasSize(3).last().asString().endsWith("\"a,x\"");
        assertThat(Files.readAllLines(aside.resolve("2.csv"))).hasSize(3).last().asString().endsWith("\"y,b\"");
        assertThat(aside.resolve("3.csv")).doesNotExist();
        assertThat(load(files.toString(), "--mended")).isEqualTo(2);
        assertThat(load(files.toString(), "--from-line", "2")).isEqualTo(2);
        assertThat(said()).contains("--from-line is about one file");
    }

    @Test
    void shouldSayWhyAFileCannotBeRead() throws Exception {
        assertThat(load(directory.resolve("none.csv").toString())).isEqualTo(2);
        assertThat(said()).contains("cannot read").contains("there is no such file");
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThat(load(empty.toString())).isEqualTo(2);
        assertThat(said()).contains("has no file *.csv");
        Path latin = directory.resolve("latin.csv");
        Files.write(latin, "rloc,product_id\na,1\n\"b\nGr\u00fc\u00dfe\",2\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(load(latin.toString())).isEqualTo(1);
        assertThat(said()).contains("line 3, column 1 (rloc): not valid UTF-8: 0xfc at line 4, byte 3 [22021]");
        Path wide = directory.resolve("wide.csv");
        Files.write(wide, "\ufeffrloc,product_id\na,1\n".getBytes(StandardCharsets.UTF_16LE));
        assertThat(load(wide.toString())).isEqualTo(1);
        assertThat(said()).contains("not valid UTF-8: 0xff at line 1, byte 1").contains("iconv -f UTF-16");
    }
}
