package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterTest {
    @TempDir
    private Path directory;

    private LocalCluster cluster(String name, int port) {
        Path data = directory.resolve(name);
        return new LocalCluster(data, List.of(
                new LocalCluster.Member("node-0", "127.0.0.1:1", ProcessHandle.current().pid(), "no such argument",
                        data.resolve("node-0.log")),
                new LocalCluster.Member("aggregator-0", "127.0.0.1:" + port, 1L << 40, "x",
                        data.resolve("aggregator-0.log"))));
    }

    private LocalCluster running(String name, int port) {
        String argument = ProcessHandle.current().info().command().orElseThrow();
        Path data = directory.resolve(name);
        return new LocalCluster(data, List.of(new LocalCluster.Member("aggregator-0", "127.0.0.1:" + port,
                ProcessHandle.current().pid(), argument, data.resolve("aggregator-0.log"))));
    }

    @Test
    void shouldRememberProcesses() throws Exception {
        LocalCluster cluster = cluster(".", 7400);
        cluster.write();
        assertThat(LocalCluster.read(cluster.directory())).contains(cluster);
        assertThat(cluster.aggregators()).containsExactly("127.0.0.1:7400");
        cluster.delete();
        assertThat(LocalCluster.read(cluster.directory())).isEmpty();
    }

    @Test
    void shouldNotMistakeAnotherProcessForAMember() {
        assertThat(cluster(".", 7400).alive()).isEmpty();
        String argument = ProcessHandle.current().info().command().orElseThrow();
        assertThat(new LocalCluster.Member("node-0", "127.0.0.1:1", ProcessHandle.current().pid(), argument, null)
                .isAlive()).isTrue();
    }

    @Test
    void shouldRepeatWhatADeadProcessSaidLast() throws Exception {
        LocalCluster.Member member = cluster(".", 7400).processes().get(1);
        assertThat(member.lastWords()).isEmpty();
        Files.writeString(member.log(), "ready\nout of memory\nTerminating\n");
        assertThat(member.lastWords()).containsExactly("out of memory", "Terminating");
        Files.writeString(member.log(), "x".repeat(1 << 20) + "\nlast\n");
        assertThat(member.lastWords()).hasSize(2).last().isEqualTo("last");
    }

    @Test
    void shouldKeepItsStateWhereTheEnvironmentSaysAndElseInTheUsersHome() {
        Path given = StateDirectory.of(Map.of("XDG_STATE_HOME", "/s", "HOME", "/h"), "/u").loads();
        assertThat(given).isEqualTo(Path.of("/s/daedalus/loads"));
        assertThat(StateDirectory.of(Map.of("XDG_STATE_HOME", "", "HOME", "/h"), "/u").loads())
                .isEqualTo(Path.of("/h/.local/state/daedalus/loads"));
        assertThat(StateDirectory.of(Map.of(), "/u").loads()).isEqualTo(Path.of("/u/.local/state/daedalus/loads"));
    }

    @Test
    void shouldFindClustersByEndpointAndForgetThem() throws Exception {
        StateDirectory state = new StateDirectory(directory.resolve("state"));
        assertThat(state.lastEndpoint()).isEmpty();
        for (int port : new int[] {7400, 7500}) {
            LocalCluster cluster = cluster("data-" + port, port);
            Files.createDirectories(cluster.directory());
            cluster.write();
            state.remember(cluster);
        }
        assertThat(state.lastEndpoint()).contains("127.0.0.1:7500");
        LocalCluster older = state.find("127.0.0.1:7400").orElseThrow();
        state.forget(older);
        assertThat(state.find("127.0.0.1:7400")).isEmpty();
        assertThat(state.lastEndpoint()).contains("127.0.0.1:7500");
        assertThat(state.forget(state.find("127.0.0.1:7500").orElseThrow())).isEmpty();
        assertThat(state.lastEndpoint()).isEmpty();
    }

    @Test
    void shouldGoBackToTheClusterStartedLastOfThoseThatRun() throws Exception {
        StateDirectory state = new StateDirectory(directory.resolve("state"));
        for (int port : new int[] {7700, 7600, 7500, 7400}) {
            LocalCluster cluster = port == 7500 ? cluster("data-" + port, port) : running("data-" + port, port);
            Files.createDirectories(cluster.directory());
            cluster.write();
            state.remember(cluster);
            Path entry = directory.resolve("state/clusters/127.0.0.1_" + port);
            Files.setLastModifiedTime(entry, FileTime.fromMillis(10_000_000L - port));
        }
        assertThat(state.forget(state.find("127.0.0.1:7400").orElseThrow())).contains("127.0.0.1:7600");
        assertThat(state.lastEndpoint()).contains("127.0.0.1:7600");
        assertThat(state.forget(state.find("127.0.0.1:7700").orElseThrow())).isEmpty();
        assertThat(state.lastEndpoint()).contains("127.0.0.1:7600");
    }
}
