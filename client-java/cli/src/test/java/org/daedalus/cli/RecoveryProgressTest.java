package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoveryProgressTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir
    private Path directory;

    private final List<String> lines = new ArrayList<>();
    private final RecoveryProgress progress = new RecoveryProgress(lines::add);

    private List<Launcher.Started> nodes(int count) {
        List<Launcher.Started> nodes = new ArrayList<>();
        for (int node = 0; node < count; node++) {
            Path log = directory.resolve("node-" + node + ".log");
            nodes.add(new Launcher.Started(
                    new LocalCluster.Member("node-" + node, "127.0.0.1:1", 1, "x", log), null, log));
        }
        return nodes;
    }

    private void say(int node, String text) throws IOException {
        Files.writeString(directory.resolve("node-" + node + ".log"), "[2026-01-01 10:00:00.000] [info] " + text + "\n",
                StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void shouldTellOnOnceASecondHowFarNodesAre() throws Exception {
        assertThat(progress.look(nodes(2), 0)).isFalse();
        say(0, "recovering: update 1200 replayed, 35 MiB of updates in 1 s");
        say(1, "segment 0: 2 MiB");
        assertThat(progress.look(nodes(2), SECOND_NS - 1)).as("it is too early").isFalse();
        assertThat(progress.look(nodes(2), SECOND_NS)).isTrue();
        say(0, "recovering: update 2400 replayed, 70 MiB of updates in 2 s");
        say(1, "recovering: update 7 replayed, 0 MiB of updates in 1 s");
        assertThat(progress.look(nodes(2), 2 * SECOND_NS)).isTrue();
        say(0, "recovered: updates up to 2500, 2500 of them from the log (71 MiB), in 2.10 s");
        say(1, "recovered: updates up to 7, 7 of them from the log (0 MiB), in 1.10 s");
        assertThat(progress.look(nodes(2), 3 * SECOND_NS)).isFalse();
        assertThat(lines).containsExactly(
                "recovering: node-0: update 1200 replayed, 35 MiB of updates in 1 s",
                "recovering: node-0: update 2400 replayed, 70 MiB of updates in 2 s; "
                        + "node-1: update 7 replayed, 0 MiB of updates in 1 s");
    }

    @Test
    void shouldNotTakeTimeForProgress() throws Exception {
        say(0, "recovering: 40 rows of the checkpoint read, 3 MiB, 10 % in 1 s, 9 s left");
        assertThat(progress.look(nodes(1), 0)).isTrue();
        say(0, "recovering: 40 rows of the checkpoint read, 3 MiB, 10 % in 2 s, 18 s left");
        assertThat(progress.look(nodes(1), SECOND_NS)).isFalse();
        assertThat(lines).as("it is said all the same").hasSize(2);
        assertThat(progress.look(nodes(1), 2 * SECOND_NS)).isFalse();
        assertThat(lines).as("nothing new is in the log").hasSize(2);
        say(0, "recovering: update 1200 replayed, 35 MiB of updates in 3 s");
        assertThat(progress.look(nodes(1), 3 * SECOND_NS)).isTrue();
        say(0, "recovering: update 1200 replayed, 35 MiB of updates in 4 s");
        assertThat(progress.look(nodes(1), 4 * SECOND_NS)).isFalse();
    }

    @Test
    void shouldNameAFewOfMany() throws Exception {
        for (int node = 0; node < 7; node++) {
            say(node, "recovering: update 1 replayed, 0 MiB of updates in 1 s");
        }
        progress.look(nodes(7), 0);
        assertThat(lines).singleElement().asString().contains("node-3: ").doesNotContain("node-4")
                .endsWith("; and 3 more");
    }
}
