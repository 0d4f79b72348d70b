package org.daedalus.cli;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The data directory of a local cluster: which files in it are a cluster's, and in which order they come and go.
 *
 * Its plan is the key to the rest. While it says that the cluster is not made, no process has been started on what is
 * there, so all of it may be removed and made anew: a start that is interrupted between any two steps leaves that, or a
 * whole cluster. Refuses to remove what no cluster made.
 */
final class DataDirectory implements Closeable {
    private static final String LOCK = "up.lock";

    private static final Pattern NODE = Pattern.compile("node-\\d+");
    private static final Pattern NODE_FILE = Pattern.compile("(identity|epoch)(\\.new)?");
    private static final Pattern NODE_FOLDER = Pattern.compile("updates|outcomes|checkpoint");
    private static final Pattern ANY_NAME = Pattern.compile(".*");
    private static final Pattern NO_NAME = Pattern.compile("(?!)");
    private static final Pattern JOURNAL_FILE = Pattern.compile("lock|journal-\\d+\\.log(\\.new)?");
    private static final Pattern JOURNAL = Pattern.compile("journal-\\d+\\.log");
    private static final Pattern OF_MEMBERS = Pattern.compile(
            "((node|aggregator)-\\d+|" + ClusterPlan.WRITER + ")(\\.toml|\\.log|\\.log\\.1)|cluster\\.toml");

    private final Path path;
    private final FileChannel lock;

    private DataDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Makes the directory where it is missing, and keeps every other `up` out of it until it is closed. */
    static DataDirectory open(Path directory) throws CliException, IOException {
        boolean isNew = !Files.exists(directory);
        Path path = made(directory);
        if (isNew) {
            DurableFile.force(path.getParent());
        }
        FileChannel lock = DurableFile.open(path.resolve(LOCK));
        if (!isTaken(lock)) {
            lock.close();
            throw CliException.failed("another `daedalus up` is at work in " + path + ": wait for its end");
        }
        return new DataDirectory(path, lock);
    }

    private static Path made(Path directory) throws CliException {
        for (Path part = directory.toAbsolutePath(); part != null; part = part.getParent()) {
            if (Files.exists(part) && !Files.isDirectory(part)) {
                throw CliException.usage("the data directory cannot be " + directory + ": " + part
                        + " is a file, not a directory; name another one with --data-dir");
            }
        }
        try {
            return DurableFile.makeFolders(directory.toAbsolutePath()).toRealPath();
        } catch (IOException e) {
            throw CliException.usage("the data directory " + directory + " cannot be made ("
                    + e.getClass().getSimpleName() + ": " + e.getMessage() + "): name another one with --data-dir");
        }
    }

    private static boolean isTaken(FileChannel lock) throws IOException {
        try {
            FileLock taken = lock.tryLock();
            return taken != null;
        } catch (OverlappingFileLockException e) {
            return false;  // By this process.
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    Path path() {
        return path;
    }

    /** Returns the folder that the schema is compiled into. */
    Path schemaFolder() {
        return path.resolve("schema");
    }

    /** Returns the file of the table's schema, for a start that is given none. */
    Path schemaFile() {
        return schemaFolder().resolve("table.sql");
    }

    /** Says whether a storage node or a writer has been made ready here to keep rows. */
    boolean hasRows() throws IOException {
        for (Path node : nodes()) {
            if (Files.exists(node.resolve("identity"))) {
                return true;
            }
        }
        return children(path.resolve(ClusterPlan.WRITER)).stream().anyMatch(file -> isNamed(file, JOURNAL));
    }

    /**
     * Lists the files that an earlier cluster kept: those of its nodes and its journal.
     *
     * @return what is in a folder comes before the folder
     * @throws CliException there is something among it that no cluster made
     */
    List<Path> kept() throws CliException, IOException {
        List<Path> found = new ArrayList<>();
        for (Path node : nodes()) {
            collect(node, NODE_FILE, NODE_FOLDER, found);
        }
        collect(path.resolve(ClusterPlan.WRITER), JOURNAL_FILE, NO_NAME, found);
        return found;
    }

    /** Configuration and logs of an earlier cluster. */
    List<Path> ofMembers() throws IOException {
        return children(path).stream().filter(file -> isFile(file) && isNamed(file, OF_MEMBERS)).toList();
    }

    /** Removes what kept() or ofMembers() found, so that it does not come back after a power cut. */
    void remove(List<Path> files) throws IOException {
        for (Path file : files) {
            Files.delete(file);
        }
        DurableFile.force(path);
    }

    /** Writes the configuration of all processes. */
    void writeConfiguration(ClusterPlan plan) throws IOException {
        for (var file : plan.files().entrySet()) {
            DurableFile.replace(path.resolve(file.getKey()), file.getValue());
        }
        if (!plan.settings().durability().keepsRows()) {
            for (ClusterPlan.Member node : plan.nodes()) {
                DurableFile.makeFolders(path.resolve(node.name()));
            }
        }
    }

    /** The writer would make it by itself, but takes an empty one on a cluster with rows for one that was lost. */
    void makeJournalFolder() throws IOException {
        DurableFile.makeFolders(path.resolve(ClusterPlan.WRITER));
        DurableFile.force(path);
    }

    private List<Path> nodes() throws IOException {
        return children(path).stream().filter(file -> isNamed(file, NODE) && Files.isDirectory(file)).toList();
    }

    private static void collect(Path folder, Pattern files, Pattern folders, List<Path> found)
            throws CliException, IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        for (Path child : children(folder)) {
            if (isFile(child) && isNamed(child, files)) {
                found.add(child);
            } else if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS) && isNamed(child, folders)) {
                collect(child, ANY_NAME, NO_NAME, found);
            } else {
                throw CliException.failed(child + " was made by no cluster, and is where one keeps its rows: move it "
                        + "away, or choose another --data-dir; nothing has been removed");
            }
        }
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            found.add(folder);  // A link to a folder on another disk stays.
        }
    }

    private static boolean isFile(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isNamed(Path file, Pattern names) {
        return names.matcher(file.getFileName().toString()).matches();
    }

    private static List<Path> children(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /** Returns the plan that is kept here. */
    Optional<KeptPlan> plan() throws CliException, IOException {
        return KeptPlan.read(path);
    }
}
