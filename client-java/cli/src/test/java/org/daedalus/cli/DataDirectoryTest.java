package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir
    private Path directory;

    private void make(String... names) throws IOException {
        for (String name : names) {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "");
        }
    }

    private List<String> names(List<Path> files) throws IOException {
        Path root = directory.toRealPath();
        return files.stream().map(file -> root.relativize(file).toString()).toList();
    }

    @Test
    void shouldRemoveWhatAClusterKeptAndNothingElse() throws Exception {
        make("node-0/identity", "node-0/epoch", "node-0/updates/00000000000000000001.log", "node-11/epoch.new",
                "writer/lock", "writer/journal-000000000000.log", "writer/journal-000000000001.log.new", "mine.txt",
                "node-x/mine", "schema/table.sql", "node-0.toml", "cluster.toml", "node-0.log", "node-0.log.1",
                "aggregator-0.log", "writer.log", "writer.txt", "cluster.plan");
        try (DataDirectory data = DataDirectory.open(directory)) {
            assertThat(data.hasRows()).isTrue();
            List<Path> kept = data.kept();
            assertThat(names(kept)).containsExactly("node-0/epoch", "node-0/identity",
                    "node-0/updates/00000000000000000001.log", "node-0/updates", "node-0", "node-11/epoch.new",
                    "node-11", "writer/journal-000000000000.log", "writer/journal-000000000001.log.new", "writer/lock",
                    "writer");
            List<Path> ofMembers = data.ofMembers();
            assertThat(names(ofMembers)).containsExactly("aggregator-0.log", "cluster.toml", "node-0.log",
                    "node-0.log.1", "node-0.toml", "writer.log");
            data.remove(kept);
            data.remove(ofMembers);
            assertThat(data.hasRows()).isFalse();
            assertThat(data.kept()).isEmpty();
        }
        assertThat(directory.resolve("mine.txt")).exists();
        assertThat(directory.resolve("node-x/mine")).exists();
        assertThat(directory.resolve("writer.txt")).exists();
    }

    @Test
    void shouldRefuseToRemoveWhatNoClusterMade() throws Exception {
        for (String foreign : new String[] {
            "node-0/novel.txt", "node-0/updates/folder/file", "node-0/other/file", "writer/novel.txt",
            "writer/journal-1.txt"}) {
            make("node-0/identity", foreign);
            try (DataDirectory data = DataDirectory.open(directory)) {
                assertThatThrownBy(data::kept).as(foreign).isInstanceOf(CliException.class)
                        .hasMessageContaining("was made by no cluster");
            }
            assertThat(directory.resolve("node-0/identity")).exists();
            Files.delete(directory.resolve(foreign));
            Path parent = directory.resolve(foreign).getParent();
            if (!List.of("node-0", "writer").contains(parent.getFileName().toString())) {
                Files.delete(parent);
            }
        }
    }

    @Test
    void shouldFollowALinkToAnotherDiskAndLeaveItThere() throws Exception {
        Path disk = Files.createDirectories(directory.resolve("disk/one"));
        Files.writeString(disk.resolve("identity"), "");
        Files.createSymbolicLink(directory.resolve("node-0"), disk);
        Files.createSymbolicLink(directory.resolve("node-1"), directory.resolve("nowhere"));
        try (DataDirectory data = DataDirectory.open(directory)) {
            assertThat(data.hasRows()).isTrue();
            data.remove(data.kept());
        }
        assertThat(disk).isEmptyDirectory();
        assertThat(directory.resolve("node-0")).isSymbolicLink();
    }

    @Test
    void shouldKeepASecondStartOut() throws Exception {
        Path fresh = directory.resolve("a/b");
        try (DataDirectory data = DataDirectory.open(fresh)) {
            assertThat(data.path()).isEqualTo(fresh.toRealPath());
            assertThatThrownBy(() -> DataDirectory.open(fresh)).isInstanceOf(CliException.class)
                    .hasMessageContaining("another `daedalus up` is at work in");
        }
        DataDirectory.open(fresh).close();
    }
}
