package org.daedalus.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * This user's machine remembers local clusters here, under ${XDG_STATE_HOME:-~/.local/state}/daedalus: {@code
 * last-cluster} has the endpoint of the last `up` that is not down; {@code last-directory} the data directory of the
 * last `up`, down or not; each file in {@code clusters} has the data directory of one; {@code loads} has how far loads
 * have come.
 */
public final class StateDirectory {
    private static final String LAST = "last-cluster";
    private static final String LAST_DIRECTORY = "last-directory";

    private final Path root;

    StateDirectory(Path root) {
        this.root = root;
    }

    /** Returns the directory of the user who runs this process. */
    public static StateDirectory ofUser() {
        return of(System.getenv(), System.getProperty("user.home"));
    }

    /**
     * Takes HOME for ~, as everywhere, and what the user database says only where HOME is unset.
     *
     * @param userHome what the user database says
     */
    static StateDirectory of(Map<String, String> environment, String userHome) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        Path base = !state.isEmpty() ? Path.of(state) : Path.of(home.isEmpty() ? userHome : home, ".local", "state");
        return new StateDirectory(base.resolve("daedalus"));
    }

    /** Returns the directory in which a cluster keeps its files unless told otherwise. */
    Path defaultDataDirectory(int port) {
        return root.resolve("cluster-" + port);
    }

    /** Returns the file of what was typed into the shell of `sql`. */
    public Path sqlHistory() {
        return root.resolve("sql_history");
    }

    /** Returns the folder in which `load` keeps how far it has come. */
    public Path loads() {
        return root.resolve("loads");
    }

    /** Endpoint of the last `up`, unless that cluster has been taken down. */
    Optional<String> lastEndpoint() throws IOException {
        return read(root.resolve(LAST));
    }

    /** Data directory of the last `up`, if there still is a cluster in it that can be brought back. */
    Optional<Path> lastDataDirectory() throws IOException {
        return read(root.resolve(LAST_DIRECTORY)).map(Path::of)
                .filter(directory -> Files.exists(directory.resolve(KeptPlan.FILE)));
    }

    /** Returns the running or once running local cluster that has this aggregator. */
    Optional<LocalCluster> find(String endpoint) throws IOException {
        for (Path entry : entries()) {
            Optional<LocalCluster> cluster = clusterOf(entry);
            if (cluster.isPresent() && cluster.get().aggregators().contains(endpoint)) {
                return cluster;
            }
        }
        return Optional.empty();
    }

    /** Returns the clusters of which a process runs. */
    List<LocalCluster> running() throws IOException {
        List<LocalCluster> running = new ArrayList<>();
        for (Path entry : entries()) {
            clusterOf(entry).filter(cluster -> !cluster.alive().isEmpty()).ifPresent(running::add);
        }
        return running;
    }

    void remember(LocalCluster cluster) throws CliException {
        try {
            Files.createDirectories(root.resolve("clusters"));
            write(entry(cluster), cluster.directory().toString());
            write(root.resolve(LAST), cluster.aggregators().get(0));
            write(root.resolve(LAST_DIRECTORY), cluster.directory().toString());
        } catch (IOException e) {
            throw CliException.failed("cannot remember the cluster under " + root + " ("
                    + e.getClass().getSimpleName() + ": " + e.getMessage()
                    + "): let this user write there, or set XDG_STATE_HOME to where that is so");
        }
    }

    /**
     * Forgets one cluster. If commands went to it, they go to the one that was started last of those that still run.
     *
     * @return where commands go from now on, if that has changed
     */
    Optional<String> forget(LocalCluster cluster) throws IOException {
        if (cluster.aggregators().isEmpty()) {
            return Optional.empty();  // Its start came to an end before anybody could be told of it.
        }
        Files.deleteIfExists(entry(cluster));
        if (lastEndpoint().filter(cluster.aggregators()::contains).isEmpty()) {
            return Optional.empty();
        }
        Optional<String> next = lastRunning();
        if (next.isPresent()) {
            write(root.resolve(LAST), next.get());
        } else {
            Files.deleteIfExists(root.resolve(LAST));
        }
        return next;
    }

    private Optional<String> lastRunning() throws IOException {
        Optional<String> found = Optional.empty();
        FileTime latest = FileTime.fromMillis(Long.MIN_VALUE);
        for (Path entry : entries()) {
            Optional<LocalCluster> cluster = clusterOf(entry);
            FileTime started = Files.getLastModifiedTime(entry);
            if (cluster.isPresent() && !cluster.get().alive().isEmpty() && started.compareTo(latest) > 0) {
                found = Optional.of(cluster.get().aggregators().get(0));
                latest = started;
            }
        }
        return found;
    }

    private static Optional<LocalCluster> clusterOf(Path entry) throws IOException {
        Optional<String> directory = read(entry);
        return directory.isEmpty() ? Optional.empty() : LocalCluster.read(Path.of(directory.get()));
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
