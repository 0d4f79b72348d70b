package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.AllocatorStatus;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.RefusedRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.RowRefusal;
import org.daedalus.wire.v1.SegmentStatus;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class CommandsTest {
    @RegisterExtension
    private final Said said = new Said();

    private final InputStream realIn = System.in;
    private final List<Object[]> inserted = new ArrayList<>();
    private final List<Integer> batches = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void release() {
        System.setIn(realIn);
    }

    private static int run(String... arguments) {
        return Main.runCommand(arguments);
    }

    private static BiConsumer<FakeAggregator, Operation> statements() {
        return (fake, operation) -> {
            String sql;
            try {
                sql = StatementBody.parseFrom(operation.getBody()).getSql();
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
            if (sql.startsWith("SELECT")) {
                fake.answerRows(operation,
                        new Object[] {"a,\"b", 1}, new Object[] {"", null}, new Object[] {null, -20});
                fake.answerEnd(operation, 3);
            } else if (sql.startsWith("bad")) {
                fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_REJECTED, "42601", "syntax error at \"é\"");
            } else {
                PartitionOutcome.Builder outcome = PartitionOutcome.newBuilder().setRowsMatched(5).setRowsApplied(5);
                if (sql.contains("+ 1")) {
                    outcome.setRowsApplied(4).addRefused(RefusedRows.newBuilder().setRowCount(1)
                            .setReason(RowRefusal.ROW_REFUSAL_OVERFLOW));
                }
                fake.answer(operation, Result.newBuilder()
                        .setConfirmed(WriteConfirmed.newBuilder().setTimestamp(9).addOutcomes(outcome)));
            }
        };
    }

    @Test
    void shouldPrintTables() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(statements())) {
            assertThat(run("sql", "-c", "SELECT 1; UPDATE x", "--cluster", fake.endpoint())).isZero();
        }
        assertThat(said.out()).startsWith("""
                 rloc | product_id
                ------+------------
                 a,"b |          1
                      |       NULL
                 NULL |        -20
                (3 rows, \
                """).contains("5 rows matched, 5 applied (timestamp 9, ");
    }

    @Test
    void shouldCallRefusedRowsAnErrorAndStillSayWhatTookEffect() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(statements())) {
            assertThat(run("sql", "-c", "UPDATE x + 1; SELECT 1", "--cluster", fake.endpoint())).isEqualTo(1);
            assertThat(fake.seen).as("the statement after it was not sent, nothing was sent twice").hasSize(1);
        }
        assertThat(said.out()).contains("5 rows matched, 4 applied, 1 refused (overflow) (timestamp 9, ");
        assertThat(said.err()).startsWith("ERROR 22003 (REJECTED): 4 rows applied, 1 refused (overflow): the update "
                + "has taken effect under timestamp 9 and is not to be repeated\nDETAIL: ").contains("\nHINT: ");
    }

    @Test
    void shouldPrintRefusedRowsInEveryFormat() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(statements())) {
            assertThat(run("sql", "-c", "UPDATE x + 1", "--format", "csv", "--cluster", fake.endpoint())).isEqualTo(1);
            assertThat(said.out()).isEqualTo("timestamp,matched,applied,refused\n9,5,4,1\n");
            assertThat(said.err()).contains("ERROR 22003");
            said.forget();
            assertThat(run("sql", "-c", "UPDATE x + 1", "--format", "json", "--cluster", fake.endpoint())).isEqualTo(1);
        }
        JsonNode written = new ObjectMapper().readTree(said.out());
        assertThat(written.get("error").get("sqlstate").asText()).isEqualTo("22003");
        assertThat(written.get("applied").asInt()).isEqualTo(4);
        assertThat(written.get("refused").toString()).isEqualTo("[{\"reason\":\"overflow\",\"rows\":1}]");
        assertThat(written.get("timestamp").asInt()).isEqualTo(9);
    }

    @Test
    void shouldPrintCsvWithNullApartFromEmpty() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(statements())) {
            assertThat(run("sql", "-c", "SELECT 1", "--format", "csv", "--cluster", fake.endpoint())).isZero();
        }
        assertThat(said.out()).isEqualTo("rloc,product_id\n\"a,\"\"b\",1\n\"\",\n,-20\n");
    }

    @Test
    void shouldAnswerAStreamLineByLineInJsonAndGoOnAfterErrors() throws Exception {
        System.setIn(new ByteArrayInputStream("SELECT 1;\nbad 'é';\nDELETE x;\n".getBytes(StandardCharsets.UTF_8)));
        try (FakeAggregator fake = new FakeAggregator(statements())) {
            assertThat(run("sql", "-f", "-", "--format", "json", "--cluster", fake.endpoint())).isEqualTo(1);
        }
        String[] lines = said.out().split("\n");
        assertThat(lines).hasSize(3);
        JsonNode rows = new ObjectMapper().readTree(lines[0]);
        assertThat(rows.get("columns").get(1).get("type").asText()).isEqualTo("integer");
        assertThat(rows.get("rows").toString()).isEqualTo("[[\"a,\\\"b\",1],[\"\",null],[null,-20]]");
        assertThat(rows.get("row_count").asInt()).isEqualTo(3);
        JsonNode error = new ObjectMapper().readTree(lines[1]).get("error");
        assertThat(error.get("sqlstate").asText()).isEqualTo("42601");
        assertThat(error.get("position").asInt()).isEqualTo(8);
        JsonNode written = new ObjectMapper().readTree(lines[2]);
        assertThat(written.get("refused")).isEmpty();
        assertThat(written.get("timestamp").asInt()).isEqualTo(9);
    }

    @Test
    void shouldPointAtTheErrorsPlaceAndStop() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(statements())) {
            assertThat(run("sql", "-c", "bad 'é' x; SELECT 1", "--cluster", fake.endpoint())).isEqualTo(1);
        }
        assertThat(said.err()).isEqualTo("""
                ERROR 42601 (REJECTED): syntax error at "é"
                LINE 1: bad 'é' x
                               ^
                HINT: a hint
                """);
        assertThat(said.out()).isEmpty();
    }

    @Test
    void shouldTellUsageFromRefusal() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("sql", "-c", " ; -- nothing", "--cluster", "localhost:1")).isEqualTo(2);
        assertThat(run("sql", "-c", "SELECT 1", "--format", "xml", "--cluster", "localhost:1")).isEqualTo(2);
        assertThat(run("sql", "-c", "SELECT 1", "--cluster", "nonsense")).isEqualTo(2);
        assertThat(run("load", directory.resolve("missing.csv").toString())).isEqualTo(2);
        assertThat(run("up", "--schema", directory.resolve("missing.sql").toString())).isEqualTo(2);
        assertThat(run("down", "--data-dir", directory.toString())).isEqualTo(1);
        assertThat(run("sql", "-c", "SELECT 1", "--cluster", "127.0.0.1:1")).isEqualTo(1);
        assertThat(said.err()).contains("no aggregator is reachable: 127.0.0.1:1: Connection refused");
    }

    @Test
    void shouldRefuseATimeoutThatIsNone() {
        for (String timeout : new String[] {"0", "-1", "86400.1", "NaN"}) {
            said.forget();
            assertThat(run("sql", "-c", "SELECT 1", "--timeout", timeout, "--cluster", "127.0.0.1:1")).isEqualTo(2);
            assertThat(said.err()).contains("--timeout must be above 0 and at most 86400 seconds");
        }
        assertThat(run("sql", "-c", "SELECT 1", "--timeout", "86400", "--cluster", "127.0.0.1:1")).isEqualTo(1);
    }

    @Test
    void shouldRefuseAClusterThatIsTooLarge() {
        String[][] cases = {{"--storage-nodes", "40"}, {"--segments", "1024"}, {"--aggregators", "10"},
            {"--segment-mib", "1048576"}, {"--window-mib", "1048576"}, {"--answer-mib", "524288"}, {"--port", "65000"},
            {"--sync-ms", "60000"}};
        for (String[] each : cases) {
            said.forget();
            String tooMany = Integer.toString(Integer.parseInt(each[1]) + 1);
            assertThat(run("up", "--schema", "missing.sql", each[0], tooMany)).isEqualTo(2);
            assertThat(said.err()).contains(each[0] + " must be ").contains(each[1] + ", not " + tooMany);
        }
    }

    @Test
    void shouldRefuseADurabilityThatThereIsNot() {
        assertThat(run("up", "--schema", "missing.sql", "--durability", "fsync")).isEqualTo(2);
        assertThat(said.err()).contains("--durability must be sync, async or off, not 'fsync'");
        for (String mode : new String[] {"sync", "off"}) {
            said.forget();
            assertThat(run("up", "--schema", "missing.sql", "--durability", mode, "--sync-ms", "5")).isEqualTo(2);
            assertThat(said.err()).contains("--sync-ms is for --durability async, not for " + mode);
        }
    }

    @Test
    void shouldNotFollowFilesThatIncludeEachOtherForEver() throws Exception {
        Path file = directory.resolve("self.sql");
        Files.writeString(file, "\\i " + file + "\n");
        try (FakeAggregator fake = new FakeAggregator(statements())) {
            assertThat(run("sql", "-f", file.toString(), "--cluster", fake.endpoint())).isNotZero();
        }
        assertThat(said.err()).containsOnlyOnce("files include each other more than 16 deep");
    }

    @Test
    void shouldShowStatusAndWhatIsWrong() throws Exception {
        StatusReply.Builder status = StatusReply.newBuilder().setClusterId("flights-1");
        status.getAggregatorBuilder().setName("aggregator-0").setWriterReachable(true).getAllocatorBuilder()
                .setAllocatedBytes(20 << 20).setResidentBytes(33 << 20);
        status.addNodes(NodeStatus.newBuilder().setReachable(true).setEndpoint("127.0.0.1:7410").setEpoch(2)
                .setWriter("writer").setDurability("off")
                .addSegments(SegmentStatus.newBuilder()
                        .setRows(120_835).setMemoryBytes(3 << 20).setCycleNsLast(1_500_000)
                        .setRowsMax(1 << 15).setRowBytes(75).setHugePageBytes(2 << 20).setNumaNode(1)
                        .setWindowBytes(5 << 20).setWindowBytesMax(48 << 20).setWindowFrom(4_711)
                        .setPlacementVerified(true)));
        status.addNodes(NodeStatus.newBuilder().setNode(1).setProblem("connection refused"));
        status.addNodes(NodeStatus.newBuilder().setNode(2).setReachable(true).setDurability("async").setApplied(78)
                .setDurable(77).setCheckpoint(55).setLogBytes(5 << 20).setCheckpointBytes(7 << 20)
                .setAllocator(AllocatorStatus.newBuilder().setAllocatedBytes(1 << 20).setResidentBytes(9 << 20)));
        status.getWriterBuilder().setUpdatesKept(3).setUpdatesKeptMax(1_024).setUpdateBytesKept(1 << 20)
                .setUpdateBytesKeptMax(32 << 20).setSubmissionsKnown(9).setSubmissionsKnownMax(65_536)
                .setSubmissionBytesKnown(2 << 20).setSubmissionBytesKnownMax(32 << 20).setHeapBytesUsed(1)
                .setHeapBytesMax(1 << 30);
        try (FakeAggregator fake = new FakeAggregator((self, operation) ->
                self.answer(operation, Result.newBuilder().setStatus(status)))) {
            assertThat(run("status", "--cluster", fake.endpoint())).isEqualTo(1);
            assertThat(said.out().lines()).allMatch(line -> line.length() <= 100);
            assertThat(folded(said.out())).contains("cluster flights-1").contains("writer writes in epoch 2")
                    .contains("120835").contains("3.0 MiB").contains("1.50 ms")
                    .contains("96.0").contains("1.28").contains("2.0 MiB")
                    .contains("UNREACHABLE: connection refused")
                    .contains("it keeps 3 of 1024 updates (1.0 of 32.0 MiB)")
                    .contains("remembers 9 of 65536 submissions (2.0 of 32.0 MiB)").contains("of 1024.0 MiB of heap")
                    .contains("it keeps no journal")
                    .contains("allocator 20.0 of 33.0 MiB").contains("1.0 of 9.0 MiB")
                    .contains("5.0 of 48.0 MiB").contains("4711");
            assertThat(said.out().lines().filter(line -> line.contains("async")).toList()).singleElement().asString()
                    .containsPattern("78 \\| +async \\| +77 \\| +55 \\| 5\\.0 MiB");
            assertThat(said.out()).containsPattern("7\\.0 MiB");
            status.getWriterBuilder().setJournalBytes(3 << 20).setJournalBytesMax(1 << 30).setJournaledThrough(79);
            said.forget();
            run("status", "--cluster", fake.endpoint());
            assertThat(folded(said.out()))
                    .contains("its journal takes 3.0 of 1024.0 MiB on disk, and all up to 79 is durable there");
            said.forget();
            run("status", "--format", "json", "--cluster", fake.endpoint());
            JsonNode json = new ObjectMapper().readTree(said.out());
            assertThat(json.get("status").get("nodes").get(0).get("segments").get(0).get("rows").asInt())
                    .isEqualTo(120_835);
            assertThat(json.get("status").get("writer").get("submission_bytes_known").asInt()).isEqualTo(2 << 20);
            status.getWriterBuilder().setProblem("it did not answer");
            said.forget();
            run("status", "--cluster", fake.endpoint());
            assertThat(said.out()).contains("the writer is not well: it did not answer");
        }
    }

    /** Sentences go on in further lines. */
    private static String folded(String text) {
        return text.replaceAll("\n +", " ");
    }

    private BiConsumer<FakeAggregator, Operation> loads() {
        return (fake, operation) -> {
            assertThat(operation.getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_SUBMIT);
            try {
                SubmitBody body = SubmitBody.parseFrom(operation.getBody());
                InsertPart part = body.getUpdate().getParts(0).getInsert();
                PackedRows rows = new PackedRows(List.of(FakeAggregator.VARCHAR, FakeAggregator.INT),
                        ByteRange.of(part.getRows().toByteArray()));
                while (rows.hasNext()) {
                    inserted.add(rows.next());
                }
                batches.add(part.getRowCount());
                fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder()
                        .setTimestamp(batches.size()).addOutcomes(PartitionOutcome.newBuilder()
                                .setRowsMatched(part.getRowCount()).setRowsApplied(part.getRowCount()))));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
    }

    /** A load's probes are answered, everything else is {@code behaviour}'s. */
    private static BiConsumer<FakeAggregator, Operation> withProbes(BiConsumer<FakeAggregator, Operation> behaviour) {
        return (fake, operation) -> {
            if (isProbe(operation)) {
                fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(1)));
            } else {
                behaviour.accept(fake, operation);
            }
        };
    }

    private static boolean isProbe(Operation operation) {
        try {
            return SubmitBody.parseFrom(operation.getBody()).getUpdate().getParts(0).hasDelete();
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private int load(BiConsumer<FakeAggregator, Operation> behaviour, String csv, String... options) throws Exception {
        Path file = Files.writeString(directory.resolve("data.csv"), csv);
        try (FakeAggregator fake = new FakeAggregator(withProbes(behaviour))) {
            List<String> arguments =
                    new ArrayList<>(List.of("load", file.toString(), "--cluster", fake.endpoint(), "--restart",
                            "--progress-dir", directory.resolve("loads").toString()));
            arguments.addAll(List.of(options));
            return run(arguments.toArray(String[]::new));
        }
    }

    @Test
    void shouldLoadInBatches() throws Exception {
        String csv = "PRODUCT_ID,rloc\r\n1,a\r\n,\"\"\r\nNA,\"NA\"\r\n4,d\r\n5,e\r\n";
        assertThat(load(loads(), csv, "--null", "NA", "--batch-rows", "2")).isZero();
        assertThat(batches).containsExactly(2, 2, 1);
        assertThat(inserted).containsExactly(new Object[] {"a", 1}, new Object[] {"", null}, new Object[] {"NA", null},
                new Object[] {"d", 4}, new Object[] {"e", 5});
        assertThat(said.out()).startsWith("5 rows are in (");
    }

    @Test
    void shouldStopAtABadLineAfterTheLastCompleteBatch() throws Exception {
        String csv = "rloc,product_id\na,1\nb,2\nc,3\nd,x\ne,5\n";
        assertThat(load(loads(), csv, "--batch-rows", "2")).isEqualTo(1);
        assertThat(batches).containsExactly(2);
        assertThat(said.err())
                .contains("line 5, column 2 (product_id): invalid input syntax for type integer: \"x\" [22P02]")
                .contains("2 rows are in");
    }

    @Test
    void shouldNameEveryKindOfBadInput() throws Exception {
        String[][] cases = {
            {"rloc,nonsense\n", "line 1, column 2: table \"bookings\" has no column \"nonsense\""},
            {"rloc,rloc\n", "\"rloc\" is named twice"},
            {"product_id\n1\n", "column \"rloc\" is missing: it is NOT NULL"},
            {"", "header is missing"},
            {"rloc,product_id\na,1\nb\n", "line 3: 1 fields, but the header has 2"},
            {"rloc,product_id\n,1\n", "line 2, column 1 (rloc): NULL in a column that is NOT NULL"},
            {"rloc,product_id\n" + "x".repeat(21) + ",1\n", "value too long for type character varying(20) [22001]"},
            {"rloc,product_id\na,99999999999\n", "out of range for type integer [22003]"},
            {"rloc,product_id\na,\"1\n", "line 2, column 2: the quote is not closed"},
        };
        for (String[] each : cases) {
            said.forget();
            assertThat(load(loads(), each[0])).as(each[1]).isEqualTo(1);
            assertThat(said.err()).contains(each[1]);
        }
        assertThat(inserted).isEmpty();
    }

    @Test
    void shouldTakeFieldsAsItIsTold() throws Exception {
        assertThat(load(loads(), "x,a,1\ny,b,2\n", "--no-header", "--columns", "-,rloc,product_id")).isZero();
        assertThat(load(loads(), "of June\n\nrloc,other,PRODUCT_ID\nc,?,3\n", "--skip", "2", "--ignore-extra"))
                .isZero();
        assertThat(load(loads(), "d,4\n", "--no-header")).isZero();
        assertThat(load(loads(), "Code;Number\ne;5\n", "--delimiter", ";", "--columns", "rloc,product_id")).isZero();
        assertThat(inserted).containsExactly(new Object[] {"a", 1}, new Object[] {"b", 2}, new Object[] {"c", 3},
                new Object[] {"d", 4}, new Object[] {"e", 5});
        said.forget();
        assertThat(load(loads(), "a,b\nx,1\n", "--columns", "rloc")).isEqualTo(1);
        assertThat(said.err()).contains("line 1: the header has 2 fields, and --columns 1");
        said.forget();
        assertThat(load(loads(), "x\n", "--skip", "2")).isEqualTo(1);
        assertThat(said.err()).contains("the file has no more than 1 lines, and --skip is 2");
        said.forget();
        assertThat(load(loads(), "x,1\n", "--no-header", "--columns", "rloc,colour")).isEqualTo(1);
        assertThat(said.err()).contains("--columns, column 2: table \"bookings\" has no column \"colour\"");
    }

    @Test
    void shouldLoadSeveralFilesAndSayHowManyTheyAre() throws Exception {
        Path other = Files.writeString(directory.resolve("other.csv"), "rloc\nb\nc\n");
        assertThat(load(loads(), "rloc\na\n", other.toString())).isZero();
        assertThat(inserted).hasSize(3);
        assertThat(said.out()).contains("3 rows of 2 files are in");
    }

    @Test
    void shouldCallItAFailureWhenEveryLineWasSetAside() throws Exception {
        Path rejects = directory.resolve("aside.csv");
        assertThat(load(loads(), "rloc,product_id\na,x\nb,y\n", "--reject-file", rejects.toString())).isEqualTo(1);
        assertThat(said.err()).contains("no row is in: every line was set aside, the first for the reason in line 3 of "
                + rejects);
        assertThat(Files.readAllLines(rejects)).hasSize(4);
    }

    @Test
    void shouldSayThatLengthsCountBytesWhereThatMakesADifference() throws Exception {
        assertThat(load(loads(), "rloc\n" + "\u00fc".repeat(15) + "\n")).isEqualTo(1);
        assertThat(said.err()).contains("value too long for type character varying(20): its 15 letters are 30 bytes, "
                + "and lengths count bytes [22001]");
    }

    @Test
    void shouldSendABusyClusterTheSameBatchAgain() throws Exception {
        boolean[] refused = new boolean[1];
        BiConsumer<FakeAggregator, Operation> loads = loads();
        assertThat(load((fake, operation) -> {
            if (refused[0]) {
                loads.accept(fake, operation);
            } else {
                refused[0] = true;
                fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_RETRY, "53000", "busy");
            }
        }, "rloc\na\nb\n")).isZero();
        assertThat(inserted).hasSize(2);
    }

    @Test
    void shouldCountWhatIsInWhenRowsAreRefusedOrUnknown() throws Exception {
        assertThat(load((fake, operation) -> fake.answer(operation, Result.newBuilder().setConfirmed(
                WriteConfirmed.newBuilder().addOutcomes(PartitionOutcome.newBuilder()
                        .setRowsMatched(3).setRowsApplied(1).addRefused(RefusedRows.newBuilder().setRowCount(2)
                                .setReason(RowRefusal.ROW_REFUSAL_NO_ROOM))))), "rloc\na\nb\nc\n")).isEqualTo(1);
        assertThat(said.err()).contains("ERROR 53100").contains("2 of 3 rows were refused: no room")
                .contains("1 row is in").contains("2 rows were refused and cannot be loaded any more")
                .doesNotContain("goes on from here");
        said.forget();
        assertThat(load((fake, operation) -> fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_UNKNOWN, "08006",
                "the writer is lost"), "rloc\na\nb\nc\n")).isEqualTo(1);
        assertThat(said.err()).contains("0 rows are in, 3 more may be");
    }
}
