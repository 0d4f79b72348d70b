package org.daedalus.cli.load;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.daedalus.cli.CliException;
import org.daedalus.wire.ByteWriter;

/**
 * Bad lines set aside: a CSV file of line, column, reason and the record as it stood. Its first record is the header of
 * the file they come from, so that the records can be mended in place and loaded with --mended. Made when the first bad
 * line comes.
 */
final class RejectFile implements AutoCloseable {
    static final String HEADER = "line,column,reason,record";
    static final int COLUMN_COUNT = 4;
    static final String HEADER_REASON = "header";

    private static final byte[] COMMA = {','};
    private static final byte[] QUOTE = {'"'};
    private static final byte[] LINE_END = {'\n'};

    private final ByteWriter text = new ByteWriter(1 << 10);
    private final Path path;
    private final byte[] header;
    private RandomAccessFile file;
    private OutputStream out;
    private long size;

    /**
     * Goes on with the first {@code size} bytes of a file. What an interrupted load wrote beyond is cut off: it will be
     * found again.
     *
     * @param header of the file that is loaded
     * @param isOurs an interrupted load of the same file has made it; otherwise there must be no file yet
     */
    RejectFile(Path path, byte[] header, long size, boolean isOurs) throws IOException, CliException {
        this.path = path;
        this.header = header.clone();
        this.size = size;
        if (!isOurs && Files.exists(path)) {
            throw CliException.usage("the reject file " + path + " exists: move it away, or name another one");
        }
        if (size > 0) {
            open();
        } else if (isOurs) {
            Files.deleteIfExists(path);
        }
    }

    private void open() throws IOException, CliException {
        if (size > 0 && (!Files.exists(path) || Files.size(path) < size)) {
            throw CliException.failed("the reject file " + path + " has lost lines of the interrupted load: put it "
                    + "back, or load the file from its start with --restart");
        }
        Files.createDirectories(path.toAbsolutePath().getParent());
        file = new RandomAccessFile(path.toFile(), "rw");
        file.setLength(size);
        file.seek(size);
        out = new BufferedOutputStream(Channels.newOutputStream(file.getChannel()));
    }

    /** Sets one record aside. */
    void add(long line, String column, String reason, byte[] record) throws IOException, CliException {
        if (out == null) {
            open();
            byte[] head = (HEADER + "\n").getBytes(StandardCharsets.UTF_8);
            write(head, head.length);
            writeRecord(1, "", HEADER_REASON, header);
        }
        writeRecord(line, column, reason, record);
    }

    private void writeRecord(long line, String column, String reason, byte[] record) throws IOException {
        text.clear();
        text.put((line + ",").getBytes(StandardCharsets.UTF_8));
        quote(column.getBytes(StandardCharsets.UTF_8));
        text.put(COMMA);
        quote(reason.getBytes(StandardCharsets.UTF_8));
        text.put(COMMA);
        quote(record);
        text.put(LINE_END);
        write(text.array(), text.size());
    }

    /** Whole runs between quotes are copied: bad lines may be a quarter of a file. */
    private void quote(byte[] field) {
        text.put(QUOTE);
        int run = 0;
        for (int at = 0; at < field.length; at++) {
            if (field[at] == '"') {
                text.put(field, run, at + 1 - run);
                run = at; // It comes once more, at the beginning of the next run.
            }
        }
        text.put(field, run, field.length - run);
        text.put(QUOTE);
    }

    private void write(byte[] bytes, int count) throws IOException {
        out.write(bytes, 0, count);
        size += count;
    }

    /** Returns the bytes of the file with all that was added. */
    long size() {
        return size;
    }

    Path path() {
        return path;
    }

    /** Hands what was added to the operating system. */
    void flush() throws IOException {
        if (out != null) {
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        }
    }
}
