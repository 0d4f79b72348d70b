package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptPlanTest {
    private static final ClusterPlan.Placement ANYWHERE = new ClusterPlan.Placement(null);

    @TempDir
    private Path directory;

    private static ClusterSettings settings(Durability durability, AnswerRoom answers) {
        return new ClusterSettings(2, 3, 64, new ClusterPlan.Placement("Odd \"name\\\nof = it"), ANYWHERE, durability,
                1, answers, 7400);
    }

    private static final Durability OFF = new Durability(Durability.Mode.OFF, 0);
    private static final ClusterSettings SYNC = settings(Durability.DEFAULT, new AnswerRoom(OptionalInt.empty()));
    private static final ClusterSettings ASYNC =
            settings(new Durability(Durability.Mode.ASYNC, 20), new AnswerRoom(OptionalInt.of(8)));

    @Test
    void shouldReadWhatItWrote() throws Exception {
        assertThat(KeptPlan.read(directory)).isEmpty();
        for (ClusterSettings each : new ClusterSettings[] {SYNC, ASYNC}) {
            KeptPlan plan = new KeptPlan(false, "Zähler\\x-7f3a", "57f76b243540ba4d", each);
            plan.write(directory);
            assertThat(KeptPlan.read(directory)).contains(plan);
            plan.made().write(directory);
            assertThat(KeptPlan.read(directory)).contains(plan.made());
        }
    }

    @Test
    void shouldHavePortsForPostgresOfItsOwnUnlessTheyAreGiven() throws Exception {
        assertThat(SYNC.postgresPort()).isEqualTo(5433);
        assertThat(ClusterSettings.postgresPortOf(12_000)).isEqualTo(12_051);
        ClusterSettings given = new ClusterSettings(2, 3, 64, 16, SYNC.partitionBy(), ANYWHERE, SYNC.durability(),
                1, SYNC.answers(), 7400, 6000, Optional.of("/etc/users of ours"), BlockWrites.IMMEDIATE);
        String written = new KeptPlan(true, "c", "f", given).render();
        Files.writeString(directory.resolve(KeptPlan.FILE), written);
        assertThat(KeptPlan.read(directory).orElseThrow().settings()).isEqualTo(given);
        Files.writeString(directory.resolve(KeptPlan.FILE), written.replace("postgres_port = 6000\n", "")
                .replace("postgres_users = /etc/users of ours\n", "")
                .replace("postgres_block_writes = immediate\n", "").replace("window_mib = 16\n", ""));
        assertThat(KeptPlan.read(directory).orElseThrow().settings()).isEqualTo(SYNC);
    }

    @Test
    void shouldBeTheKeyToRowsOnceItIsMadeAndOnlyWhereRowsAreKept() {
        KeptPlan plan = new KeptPlan(false, "c", "f", SYNC);
        assertThat(plan.keepsRows()).isFalse();
        assertThat(plan.made().keepsRows()).isTrue();
        assertThat(new KeptPlan(true, "c", "f", settings(OFF, SYNC.answers())).keepsRows()).isFalse();
    }

    @Test
    void shouldRefuseWhatIsDamagedAndSayWhere() throws Exception {
        String sound = new KeptPlan(true, "c", "f", ASYNC).render();
        record Case(String text, String message) {}
        for (Case each : new Case[] {
            new Case("", "no version"),
            new Case(sound.replace("version = 1", "version = 2"), "version 2 is not 1"),
            new Case(sound.replace("segments = 3\n", ""), "no segments"),
            new Case(sound.replace("segments = 3", "segments = -3"), "segments is -3"),
            new Case(sound.replace("durability = async", "durability = asink"), "must be sync, async or off"),
            new Case(sound.replace("segment_by = round_robin", "segment_by = hash("), "segment_by must be"),
            new Case(sound.replace("port = 7400", "port = \\u00x0"), "encoding")}) {
            Files.writeString(directory.resolve(KeptPlan.FILE), each.text);
            assertThatThrownBy(() -> KeptPlan.read(directory)).as(each.text).isInstanceOf(CliException.class)
                    .hasMessageContaining("cluster.plan is damaged (").hasMessageContaining(each.message)
                    .hasMessageContaining("--discard");
        }
    }

    @Test
    void shouldNameWhatMustNotDiffer() {
        assertThat(SYNC.differencesFrom(SYNC)).isEmpty();
        ClusterSettings elsewhere = new ClusterSettings(2, 3, 64, 1, SYNC.partitionBy(), ANYWHERE, SYNC.durability(),
                3, new AnswerRoom(OptionalInt.of(9)), 7500, 7551, Optional.empty(), BlockWrites.REFUSE);
        assertThat(elsewhere.differencesFrom(SYNC)).as("window, aggregators, answers and ports are free").isEmpty();
        ClusterSettings other = new ClusterSettings(4, 5, 65, ANYWHERE, new ClusterPlan.Placement("id"),
                OFF, 1, SYNC.answers(), 7400);
        assertThat(other.differencesFrom(SYNC)).containsExactly("--storage-nodes is 2 there, not 4",
                "--segments is 3 there, not 5", "--segment-mib is 64 there, not 65",
                "--partition-by is " + SYNC.partitionBy() + " there, not round_robin",
                "--segment-by is round_robin there, not hash(id)", "--durability is sync there, not off");
        assertThat(ASYNC.differencesFrom(SYNC)).as("when updates are synced is free").isEmpty();
    }
}
