package org.daedalus.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What this user's machine remembers of local clusters, under ${XDG_STATE_HOME:-~/.local/state}/daedalus: {@code
 * last-cluster} has the
 * endpoint of the last `up`; each file in {@code clusters} has the data directory of one; {@code loads}
 * has how far loads have come.
 */
public final class StateDirectory {
    private final Path root;

    StateDirectory(Path root) {
        this.root = root;
    }

    /** That of whoever runs this. */
    public static StateDirectory ofUser() {
        String state = System.getenv("XDG_STATE_HOME");
        Path base = state == null || state.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state")
                : Path.of(state);
        return new StateDirectory(base.resolve("daedalus"));
    }

    /** Where a cluster keeps its files unless told otherwise. */
    Path defaultDataDirectory(int port) {
        return root.resolve("cluster-" + port);
    }

    /** Where `load` keeps how far it has come. */
    public Path loads() {
        return root.resolve("loads");
    }

    /** Endpoint of the last `up`, unless that cluster has been taken down. */
    Optional<String> lastEndpoint() throws IOException {
        return read(root.resolve("last-cluster"));
    }

    /** The running or once running local cluster that has this aggregator. */
    Optional<LocalCluster> find(String endpoint) throws IOException {
        for (Path entry : entries()) {
            Optional<String> directory = read(entry);
            if (directory.isPresent()) {
                Optional<LocalCluster> cluster = LocalCluster.read(Path.of(directory.get()));
                if (cluster.isPresent() && cluster.get().aggregators().contains(endpoint)) {
                    return cluster;
                }
            }
        }
        return Optional.empty();
    }

    void remember(LocalCluster cluster) throws IOException {
        Files.createDirectories(root.resolve("clusters"));
        write(entry(cluster), cluster.directory().toString());
        write(root.resolve("last-cluster"), cluster.aggregators().get(0));
    }

    void forget(LocalCluster cluster) throws IOException {
        Files.deleteIfExists(entry(cluster));
        if (lastEndpoint().filter(cluster.aggregators()::contains).isPresent()) {
            Files.deleteIfExists(root.resolve("last-cluster"));
        }
    }

    private Path entry(LocalCluster cluster) {
        return root.resolve("clusters").resolve(cluster.aggregators().get(0).replace(':', '_'));
    }

    private List<Path> entries() throws IOException {
        Path directory = root.resolve("clusters");
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return new ArrayList<>(files.sorted().toList());
        }
    }

    private static Optional<String> read(Path file) throws IOException {
        try {
            String content = Files.readString(file).strip();
            return content.isEmpty() ? Optional.empty() : Optional.of(content);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static void write(Path file, String content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, content + "\n");
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
