package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class ClusterPlanTest {
    private static final AnswerRoom BY_DEFAULT = new AnswerRoom(OptionalInt.empty());

    private static final Durability OFF = new Durability(Durability.Mode.OFF, 0);

    private static ClusterPlan.Placement placement(String text) throws CliException {
        return ClusterPlan.Placement.parse("--partition-by", text);
    }

    @Test
    void shouldRenderConfigurationAsDocumented() throws CliException {
        Path library = Path.of("/data/schema/flights.so");
        ClusterPlan plan = new ClusterPlan("flights-7f3a", Path.of("/data"), library, new ClusterSettings(2, 3, 64,
                placement("hash(Origin)"), placement("round_robin"), OFF, 2, BY_DEFAULT, 7400));
        assertThat(plan.files().keySet()).containsExactly(
                "cluster.toml", "node-0.toml", "node-1.toml", "aggregator-0.toml", "aggregator-1.toml");
        assertThat(plan.files().get("cluster.toml")).isEqualTo("""
                cluster_id = "flights-7f3a"
                schema_library = "/data/schema/flights.so"
                [partition_map]
                version = 1
                distribution = "hash"
                columns = ["origin"]
                segment_distribution = "round_robin"
                segment_columns = []
                [[partition_map.partitions]]
                nodes = [0]
                [[partition_map.partitions]]
                nodes = [1]
                [[nodes]]
                id = 0
                endpoint = "127.0.0.1:7410"
                [[nodes]]
                id = 1
                endpoint = "127.0.0.1:7411"
                """);
        assertThat(plan.files().get("node-1.toml")).isEqualTo("""
                cluster = "cluster.toml"
                node = 1
                listen = "127.0.0.1:7411"
                data_dir = "node-1"
                segments = 3
                segment_mib = 64
                cores = []
                durability = "off"
                """);
        assertThat(plan.files().get("aggregator-1.toml")).isEqualTo("""
                cluster = "cluster.toml"
                name = "aggregator-1"
                listen = "127.0.0.1:7401"
                postgres_listen = "127.0.0.1:5434"
                postgres_trust = "loopback"
                postgres_catalogue = "on"
                sql_threads = 1
                """);
        assertThat(plan.writer().arguments()).containsExactly("--aggregators", "127.0.0.1:7400,127.0.0.1:7401",
                "--listen", "127.0.0.1:7450", "--name", "writer", "--no-journal-in", "/data/writer");
        assertThat(plan.nodes().get(0).arguments()).containsExactly("--config", "/data/node-0.toml");
    }

    @Test
    void shouldTellAggregatorsWhoLogsInAndHowBlocksWrite() throws CliException {
        ClusterSettings settings = new ClusterSettings(1, 1, 64, 64, placement("round_robin"),
                placement("round_robin"), OFF, 1, BY_DEFAULT, 7400, 5433, Optional.of("/data/users"),
                BlockWrites.IMMEDIATE);
        assertThat(new ClusterPlan("c", Path.of("/data"), Path.of("/data/t.so"), settings).files()
                .get("aggregator-0.toml")).contains("postgres_users = \"/data/users\"\n")
                .contains("postgres_block_writes = \"immediate\"\n")
                .doesNotContain("postgres_trust");
    }

    private static ClusterPlan planOf(Durability durability) throws CliException {
        return new ClusterPlan("c", Path.of("/data"), Path.of("/data/t.so"), new ClusterSettings(1, 1, 64,
                placement("round_robin"), placement("round_robin"), durability, 1, BY_DEFAULT, 7400));
    }

    @Test
    void shouldGiveNodesTheirDurabilityAndTheWriterAJournalWithIt() throws CliException {
        ClusterPlan sync = planOf(Durability.DEFAULT);
        assertThat(sync.files().get("node-0.toml")).endsWith("cores = []\ndurability = \"sync\"\n");
        assertThat(sync.writer().arguments()).endsWith("--name", "writer", "--journal-dir", "/data/writer");
        ClusterPlan async = planOf(new Durability(Durability.Mode.ASYNC, 50));
        assertThat(async.files().get("node-0.toml")).endsWith("durability = \"async\"\nsync_ms = 50\n");
        assertThat(async.writer().arguments()).contains("--journal-dir");
        assertThat(planOf(OFF).writer().arguments()).doesNotContain("--journal-dir");
    }

    private static ClusterPlan planOf(int nodes, int segments, int segmentMib) throws CliException {
        return planOf(nodes, segments, segmentMib, BY_DEFAULT);
    }

    private static ClusterPlan planOf(int nodes, int segments, int segmentMib, AnswerRoom answers)
            throws CliException {
        return new ClusterPlan("c", Path.of("/data"), Path.of("/data/t.so"), new ClusterSettings(nodes, segments,
                segmentMib, placement("round_robin"), placement("round_robin"), OFF, 1, answers, 7400));
    }

    private static AnswerRoom answersOf(int mib) {
        return new AnswerRoom(OptionalInt.of(mib));
    }

    @Test
    void shouldGiveAnswersTheirSizeAndTheMemoryThatItNeeds() throws CliException {
        record Case(int mib, String node, String aggregator) {}
        for (Case each : new Case[] {
            new Case(4, "answer_mib = 4\n", "answer_mib = 4\n"),
            new Case(128, "answer_mib = 128\n", "answer_mib = 128\n"),
            new Case(256, "answer_memory_mib = 512\nanswer_mib = 256\n", "answer_mib = 256\n"),
            new Case(600, "answer_memory_mib = 1200\nanswer_mib = 600\n",
                    "answer_memory_mib = 1200\nanswer_mib = 600\n"),
            new Case(AnswerRoom.MIB_MAX, "answer_memory_mib = 1048576\nanswer_mib = 524288\n",
                    "answer_memory_mib = 1048576\nanswer_mib = 524288\n")}) {
            ClusterPlan plan = planOf(1, 1, 64, answersOf(each.mib));
            assertThat(plan.files().get("node-0.toml")).endsWith("cores = []\n" + each.node + "durability = \"off\"\n");
            assertThat(plan.files().get("aggregator-0.toml")).endsWith("sql_threads = 1\n" + each.aggregator);
        }
    }

    private static ClusterPlan planWithWindow(int segments, int windowMib) throws CliException {
        return new ClusterPlan("c", Path.of("/data"), Path.of("/data/t.so"), new ClusterSettings(1, segments, 64,
                windowMib, placement("round_robin"), placement("round_robin"), OFF, 1, BY_DEFAULT, 7400, 7451,
                Optional.empty(), BlockWrites.REFUSE));
    }

    @Test
    void shouldGiveSegmentsTheirWindowAndCountIt() throws CliException {
        assertThat(planWithWindow(1, 64).files().get("node-0.toml")).doesNotContain("window_mib");
        assertThat(planWithWindow(1, 256).files().get("node-0.toml"))
                .contains("segment_mib = 64\nwindow_mib = 256\n");
        MachineMemory machine = new MachineMemory(4L << 30, 2L << 30);
        planWithWindow(4, 352).checkMemory(machine);
        CliException refusal = catchThrowableOfType(CliException.class,
                () -> planWithWindow(4, 353).checkMemory(machine));
        assertThat(refusal).hasMessageContaining("4 segments of 64 MiB, each with a window of 353 MiB, take 1668 MiB")
                .hasMessageContaining("--segment-mib 63 fits");
    }

    @Test
    void shouldRefuseAnswersThatDoNotFitBesideTheSegments() throws CliException {
        MachineMemory machine = new MachineMemory(23L << 30, 20L << 30);
        planOf(2, 2, 4_000, answersOf(256)).checkMemory(machine);
        CliException refusal = catchThrowableOfType(CliException.class,
                () -> planOf(2, 2, 4_000, answersOf(2_048)).checkMemory(machine));
        assertThat(refusal).hasMessageContaining("each of 4 processes keeps 128 MiB free and --answer-mib adds 11264")
                .hasMessageContaining("--segment-mib 2112 fits");
        planOf(2, 2, 2_112, answersOf(2_048)).checkMemory(machine);
    }

    @Test
    void shouldRefuseSegmentsThatDoNotFitIntoTheMachineTogether() throws CliException {
        MachineMemory machine = new MachineMemory(23L << 30, 20L << 30);
        planOf(2, 2, 4_928).checkMemory(machine);
        CliException refusal = catchThrowableOfType(CliException.class,
                () -> planOf(4, 4, 5_120).checkMemory(machine));
        assertThat(refusal)
                .hasMessageContaining("16 segments of 5120 MiB, each with a window of 64 MiB, take 82944 MiB")
                .hasMessageContaining("20480 of the machine's 23552 MiB are available")
                .hasMessageContaining("--segment-mib 1168 fits");
        assertThat(refusal.exitCode()).isEqualTo(CliException.USAGE);
        planOf(4, 4, 1_168).checkMemory(machine);
        CliException none = catchThrowableOfType(CliException.class,
                () -> planOf(40, 1_024, 1_048_576).checkMemory(machine));
        assertThat(none).hasMessageContaining("have fewer segments or processes");
    }

    @Test
    void shouldReadPlacements() throws CliException {
        assertThat(placement(" ROUND_ROBIN ").column()).isNull();
        assertThat(placement("HASH ( rloc )").column()).isEqualTo("rloc");
        assertThat(placement("hash(\"Odd \"\"name\")").column()).isEqualTo("Odd \"name");
        for (String text : new String[] {"round_robin", "hash(rloc)", "hash(\"Odd \"\"name\")", "hash(\"A\")"}) {
            assertThat(placement(text)).hasToString(text);
        }
        for (String wrong : new String[] {"hash", "hash()", "hash(a,b)", "range(a)", "hash(a) x"}) {
            CliException refusal = catchThrowableOfType(CliException.class, () -> placement(wrong));
            assertThat(refusal).as(wrong).hasMessageContaining("--partition-by must be");
            assertThat(refusal.exitCode()).isEqualTo(CliException.USAGE);
        }
    }

    @Test
    void shouldQuoteForToml() {
        assertThat(ClusterPlan.quote("a\"b\\c\n")).isEqualTo("\"a\\\"b\\\\c\\u000a\"");
    }
}
