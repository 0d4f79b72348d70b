package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher bounds how long it waits for others, shown by programs that never come to an end. */
class LauncherTest {
    private static final String HOME = "daedalus.home";
    private static final Launcher.Limits SHORT = new Launcher.Limits(50, 50);
    private static final String FOR_EVER = "while :; do sleep 1; done";

    private final String homeBefore = System.getProperty(HOME);

    @TempDir
    private Path directory;

    @BeforeEach
    void moveHome() {
        System.setProperty(HOME, directory.toString());
    }

    @AfterEach
    void moveBack() {
        if (homeBefore == null) {
            System.clearProperty(HOME);
        } else {
            System.setProperty(HOME, homeBefore);
        }
    }

    private void program(String name, String script) throws IOException {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        Path file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ClusterPlan plan(int segmentMib) throws CliException {
        return new ClusterPlan("flights-7f3a", directory, directory.resolve("flights.so"),
                new ClusterSettings(1, 2, segmentMib, new ClusterPlan.Placement(null), new ClusterPlan.Placement(null),
                        Durability.DEFAULT, 1, new AnswerRoom(OptionalInt.empty()), 64_000));
    }

    @Test
    void shouldSayHowLongItWaits() throws CliException {
        assertThat(Launcher.Limits.DEFAULT).isEqualTo(new Launcher.Limits(20_000, 10_000));
        assertThat(ClusterStart.readyMax(plan(64))).isEqualTo(Duration.ofSeconds(30));
        assertThat(ClusterStart.readyMax(plan(5 << 10))).isEqualTo(Duration.ofSeconds(30 + 2 * 10));
    }

    @Test
    void shouldNotWaitForEverForAConfigurationToBeChecked() throws Exception {
        program("daedalus-storage-node", FOR_EVER);
        Launcher launcher = new Launcher(new Programs(), directory, SHORT);
        assertThatThrownBy(() -> launcher.check(plan(64).nodes().get(0))).isInstanceOf(CliException.class)
                .hasMessageContaining("did not check its configuration in time");
    }

    @Test
    void shouldGiveUpAClusterThatDoesNotBecomeReadyAndLeaveNothingRunning() throws Exception {
        for (String name : List.of("daedalus-storage-node", "daedalus-aggregator")) {
            program(name, "[ \"$1\" = --check-config ] && exit\n" + FOR_EVER);
        }
        ClusterStart start = new ClusterStart(plan(64), new Launcher(new Programs(), directory), Duration.ofMillis(50),
                List.of());
        assertThatThrownBy(() -> start.run(cluster -> {})).isInstanceOf(CliException.class)
                .hasMessageContaining("the storage nodes did not become ready within 0 s");
        assertThat(LocalCluster.read(directory)).as("what was started has been stopped and forgotten").isEmpty();
    }

    @Test
    void shouldWaitForNodesThatGetFurther() throws Exception {
        String step = "echo \"recovering: update $n replayed, 0 MiB of updates in $n s\"; sleep 1";
        String steps = "for n in 1 2 3; do " + step + "; done";
        program("daedalus-storage-node", steps + "; " + FOR_EVER);
        program("daedalus-aggregator", FOR_EVER);
        long beganNs = System.nanoTime();
        ClusterStart start = new ClusterStart(plan(64), new Launcher(new Programs(), directory),
                Duration.ofMillis(1_500), List.of());
        assertThatThrownBy(() -> start.run(cluster -> {})).isInstanceOf(CliException.class)
                .hasMessageContaining("did not become ready within 1 s of the last progress")
                .hasMessageContaining("update 3 replayed");
        assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isGreaterThan(Duration.ofSeconds(3));
    }

    @Test
    void shouldKillWhatDoesNotEnd() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "trap '' TERM; echo ready; " + FOR_EVER, "a-member").start();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).isEqualTo("ready");
            LocalCluster.Member member =
                    new LocalCluster.Member("node-0", "127.0.0.1:1", process.pid(), "a-member", directory);
            assertThat(Launcher.stop(List.of(member), SHORT)).containsExactly("node-0");
            assertThat(process.waitFor()).isNotZero();
        }
    }
}
