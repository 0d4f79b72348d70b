package org.daedalus.writer.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A folder of the file system, for one process at a time. There are rows in it, so only its owner may read what is made
 * here, whatever the umask.
 */
public final class DiskFolder implements JournalFolder, Closeable {
    static final String LOCK_NAME = "lock";

    private static final FileAttribute<?> OWNER_READS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<?> OWNER_ENTERS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path path;
    private final FileChannel lock;

    private DiskFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Makes the folder where there is none, and keeps others out until it is closed.
     *
     * @throws JournalException when another process uses it
     */
    public static DiskFolder open(Path path) throws IOException {
        makeDurably(path.toAbsolutePath());
        FileChannel lock = FileChannel.open(path.resolve(LOCK_NAME),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OWNER_READS);
        if (!isTaken(lock)) {
            lock.close();
            throw new JournalException("the journal " + path + " is used by another process",
                    "stop that writer first, or give this one a folder of its own");
        }
        return new DiskFolder(path, lock);
    }

    /** A folder that a loss of power takes away would take the journal with it. */
    private static void makeDurably(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            return;
        }
        Path parent = path.getParent();
        if (parent != null) {
            makeDurably(parent);
        }
        Files.createDirectory(path, OWNER_ENTERS);
        if (parent != null) {
            force(parent);
        }
    }

    private static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static boolean isTaken(FileChannel lock) throws IOException {
        try {
            FileLock taken = lock.tryLock();
            return taken != null;
        } catch (OverlappingFileLockException e) {
            return false; // By another writer of this process.
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(each -> each.getFileName().toString()).toList();
        }
    }

    @Override
    public JournalFile create(String name) throws IOException {
        return guarded(name, () -> file(FileChannel.open(path.resolve(name),
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_READS), describe(name)));
    }

    @Override
    public JournalFile open(String name) throws IOException {
        return file(FileChannel.open(path.resolve(name), StandardOpenOption.READ), describe(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(path.resolve(name));
    }

    @Override
    public void force() throws IOException {
        force(path);
    }

    @Override
    public String describe(String name) {
        return path.resolve(name).toString();
    }

    static JournalFile file(FileChannel channel, String name) {
        return new DiskFile(channel, name);
    }

    private interface Action<T> {
        T run() throws IOException;
    }

    /** Java has no exception of its own for want of room: only the system's words tell. */
    private static <T> T guarded(String what, Action<T> action) throws IOException {
        try {
            return action.run();
        } catch (IOException e) {
            String words = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
            if (words.contains("no space left") || words.contains("quota exceeded")) {
                throw new DiskFullException(what + ": " + e.getMessage());
            }
            throw e;
        }
    }

    private record DiskFile(FileChannel channel, String name) implements JournalFile {
        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            guarded(name, () -> {
                long at = offset;
                while (source.hasRemaining()) {
                    at += channel.write(source, at);
                }
                return at;
            });
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            int before = target.position();
            while (target.hasRemaining() && channel.read(target, offset + target.position() - before) > 0) {
                continue;
            }
            return target.position() - before;
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void force() throws IOException {
            guarded(name, () -> {
                channel.force(false);
                return null;
            });
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
