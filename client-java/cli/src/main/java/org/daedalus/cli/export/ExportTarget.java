package org.daedalus.cli.export;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.daedalus.cli.CliException;

/**
 * An export goes here: to standard output, or to a file that has another name until it is whole. Closing it before
 * {@link #complete} leaves nothing behind.
 */
final class ExportTarget implements AutoCloseable {
    private static final String PARTIAL = ".partial";
    private static final int BUFFER_SIZE = 1 << 16;

    /** Endings of names of files that are neither CSV nor compressed as an export can be. */
    private static final Set<String> OTHER_FORMATS = Set.of("parquet", "json", "jsonl", "ndjson", "tsv", "md", "xlsx",
            "xls", "ods", "avro", "orc", "arrow", "feather", "sql", "db", "sqlite", "duckdb", "xml", "html", "pdf",
            "zip", "bz2", "xz", "zst", "lz4", "7z", "tar", "tgz");

    /** This is null for standard output. */
    private final Path path;
    private final Path partial;
    private final boolean isForced;
    private FileChannel channel;
    private OutputStream stream;
    private boolean isOver;

    private ExportTarget(Path path, boolean isForced) {
        this.path = path;
        this.partial = path == null ? null : path.resolveSibling(path.getFileName() + PARTIAL);
        this.isForced = isForced;
    }

    /** Refuses what would write over somebody's file; makes nothing yet. */
    static ExportTarget of(String name, boolean isForced) throws CliException {
        return name.equals("-") ? new ExportTarget(null, false) : new ExportTarget(check(name, isForced), isForced);
    }

    /** Makes the file under its other name; nobody else may have it open for an export. */
    synchronized void open() throws CliException {
        if (path == null) {
            stream = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_SIZE);
            return;
        }
        if (isOver) {
            throw CliException.failed("the export was interrupted");
        }
        try {
            removeLeftOver();
            FileChannel made = FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            if (!lock(made)) {
                made.close();
                throw isBeingWritten();
            }
            channel = made;
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_SIZE);
            stream = path.toString().endsWith(".gz") ? new GZIPOutputStream(out, BUFFER_SIZE) : out;
        } catch (FileAlreadyExistsException e) {
            throw isBeingWritten();
        } catch (IOException e) {
            throw CliException.usage("cannot write " + partial + ": " + e.getClass().getSimpleName() + " "
                    + e.getMessage());
        }
    }

    /**
     * Removes the file of an export that was killed: nobody has it locked. It is not written over, because it may be
     * FILE by now.
     */
    private void removeLeftOver() throws IOException, CliException {
        try (FileChannel old = FileChannel.open(partial, StandardOpenOption.WRITE)) {
            if (!lock(old)) {
                throw isBeingWritten();
            }
            Files.deleteIfExists(partial);
        } catch (NoSuchFileException e) {
            // There is none.
        }
    }

    private CliException isBeingWritten() {
        return CliException.failed(partial + " is being written by another export");
    }

    /** Refuses a name that promises another format than the one there is. */
    private static void checkFormat(String name) throws CliException {
        String lower = name.toLowerCase(Locale.ROOT);
        String ending = lower.substring(lower.lastIndexOf('.') + 1);
        if (OTHER_FORMATS.contains(ending)) {
            throw CliException.usage("cannot write " + name + ": an export is CSV, and ." + ending + " is another "
                    + "format. Name a file FILE.csv, or FILE.csv.gz to have it compressed; `daedalus sql --format "
                    + "json|jsonl|csv|tsv|markdown -c \"SELECT …\"` writes one answer in other formats");
        }
    }

    private static Path check(String name, boolean isForced) throws CliException {
        checkFormat(name);
        Path path;
        try {
            path = Path.of(name).toAbsolutePath();
            path = Files.exists(path) ? path.toRealPath() : path;
        } catch (InvalidPathException | IOException e) {
            throw CliException.usage("cannot write " + name + ": " + e.getMessage());
        }
        if (Files.isDirectory(path)) {
            throw CliException.usage("cannot write " + name + ": it is a directory");
        }
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path)) {
            throw CliException.usage("cannot write " + name + ": it is no regular file; - is standard output");
        }
        if (Files.exists(path) && !isForced) {
            throw CliException.usage(name + " exists: name another file, or write over it with --force");
        }
        Path directory = path.getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw CliException.usage("cannot write " + name + ": there is no directory " + directory);
        }
        if (!Files.isWritable(directory)) {
            throw CliException.usage("cannot write " + name + ": no permission to write into " + directory);
        }
        return path;
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Returns the name for messages. */
    String label() {
        return path == null ? "standard output" : path.toString();
    }

    /** Returns the stream to report to: standard output may be full of rows. */
    PrintStream says() {
        return path == null ? System.err : System.out;
    }

    OutputStream stream() {
        return stream;
    }

    /** All is written: the file gets its name. */
    synchronized void complete() throws IOException {
        if (isOver) {
            throw new IOException("the export was interrupted");
        }
        if (path == null) {
            stream.flush();
            isOver = true;
            return;
        }
        if (stream instanceof GZIPOutputStream compressed) {
            compressed.finish();
        }
        stream.flush();
        channel.force(true);
        if (isForced) {
            Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.move(partial, path); // Refuses, if there is one by now.
        }
        isOver = true;
        channel.close();
    }

    /** Leaves nothing that could be taken for the table, and says so. */
    synchronized String discard() {
        if (isOver) {
            return label() + ": is whole";
        }
        isOver = true;
        if (path == null) {
            return "interrupted: what has been written is not the whole table";
        }
        delete();
        return "interrupted: " + label() + " was not written";
    }

    @Override
    public synchronized void close() {
        if (!isOver && path != null) {
            delete();
        }
        isOver = true;
    }

    /** A file that another export has open is not ours. */
    private void delete() {
        if (channel == null) {
            return;
        }
        try {
            Files.deleteIfExists(partial);
            channel.close();
        } catch (IOException e) {
            System.err.println("daedalus: " + partial + " is not whole and could not be removed: " + e.getMessage());
        }
    }
}
