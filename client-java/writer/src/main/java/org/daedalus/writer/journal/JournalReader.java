package org.daedalus.writer.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a journal from its first record to its last.
 *
 * <p>Decides what the last one is: behind it, in the last file, there may be records that were torn when the process
 * ended, as long as none that comes later says that they were durable. Whatever else is not as it was written is an
 * error that names file and offset.
 */
public final class JournalReader {
    private static final String RESTORE = "restore that file from a copy; or, where there is none, move the journal "
            + "away and start the writer with --adopt: updates that some node lacks are lost then, and a copy of "
            + "such a node's data directory has to be put back";

    /** Takes what is read. */
    public interface Visitor {
        /** A file begins. */
        void onFile(JournalHeader header) throws JournalException;

        /** Takes one record; {@code payload} is valid during the call only. */
        void onRecord(long position, int kind, ByteBuffer payload) throws JournalException;
    }

    /**
     * One file.
     *
     * @param end the position behind its last record
     */
    public record FoundFile(String name, JournalHeader header, long end, long size) {}

    private final JournalFolder folder;
    private final Visitor visitor;

    private JournalReader(JournalFolder folder, Visitor visitor) {
        this.folder = folder;
        this.visitor = visitor;
    }

    /** Reads all files, oldest first, and removes what was never finished. */
    public static List<FoundFile> read(JournalFolder folder, Visitor visitor) throws IOException {
        return new JournalReader(folder, visitor).readAll();
    }

    static JournalException corrupt(String name, long offset, String what) {
        return new JournalException("the journal is damaged: " + name + ", offset " + offset + ": " + what, RESTORE);
    }

    private List<FoundFile> readAll() throws IOException {
        List<String> names = new ArrayList<>();
        for (String name : folder.names()) {
            if (JournalNames.isUnfinished(name)) {
                folder.delete(name);
            } else if (JournalNames.isFile(name)) {
                names.add(name);
            }
        }
        names.sort(null);
        List<JournalHeader> headers = new ArrayList<>();
        for (String name : names) {
            headers.add(readHeader(name, headers.isEmpty() ? null : headers.get(headers.size() - 1)));
        }
        List<FoundFile> files = new ArrayList<>();
        for (int index = 0; index < names.size(); index++) {
            boolean isLast = index + 1 == names.size();
            files.add(readFile(names.get(index), headers.get(index),
                    isLast ? Long.MAX_VALUE : headers.get(index + 1).firstPosition()));
        }
        return files;
    }

    private JournalHeader readHeader(String name, JournalHeader before) throws IOException {
        try (JournalFile file = folder.open(name)) {
            ByteBuffer bytes = ByteBuffer.allocate(JournalHeader.SIZE);
            file.read(bytes, 0);
            JournalHeader header = JournalHeader.decode(bytes.flip(), folder.describe(name));
            if (!JournalNames.of(header.file()).equals(name)) {
                throw corrupt(folder.describe(name), 0, "it was written as " + JournalNames.of(header.file()));
            }
            if (before != null && before.journal() != header.journal()) {
                throw corrupt(folder.describe(name), 0, "it belongs to another journal than the file before it");
            }
            if (before != null && before.firstPosition() > header.firstPosition()) {
                throw corrupt(folder.describe(name), 0, "it begins before the file before it");
            }
            return header;
        }
    }

    private FoundFile readFile(String name, JournalHeader header, long end) throws IOException {
        visitor.onFile(header);
        try (JournalFile file = folder.open(name)) {
            Window window = new Window(file);
            long position = header.firstPosition();
            while (position < end) {
                long offset = offsetOf(header, position);
                int payloadSize = window.soundFrame(offset, position);
                if (payloadSize < 0) {
                    checkTail(folder.describe(name), window, header, position, end);
                    break;
                }
                int at = window.at(offset);
                int kind = JournalFrame.kind(window.bytes, at);
                ByteBuffer payload = window.bytes.slice(at + JournalFrame.HEADER_SIZE, payloadSize)
                        .order(ByteOrder.LITTLE_ENDIAN);
                try {
                    visitor.onRecord(position, kind, payload);
                } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
                    throw corrupt(folder.describe(name), offset, "a record makes no sense: " + e.getMessage());
                }
                position += JournalFrame.size(payloadSize);
            }
            return new FoundFile(name, header, position, file.size());
        }
    }

    private static long offsetOf(JournalHeader header, long position) {
        return JournalHeader.SIZE + position - header.firstPosition();
    }

    /** Something at {@code position} is no record: it was torn, or it is damage. */
    private static void checkTail(String name, Window window, JournalHeader header, long position, long end)
            throws IOException {
        long offset = offsetOf(header, position);
        if (end != Long.MAX_VALUE) {
            throw corrupt(name, offset, "there is no sound record, but the next file begins "
                    + (end - position) + " bytes later");
        }
        for (long later = position + Long.BYTES; window.has(offsetOf(header, later), JournalFrame.HEADER_SIZE);
                later += Long.BYTES) {
            long laterOffset = offsetOf(header, later);
            if (window.soundFrame(laterOffset, later) >= 0
                    && JournalFrame.durable(window.bytes, window.at(laterOffset)) > position) {
                throw corrupt(name, offset, "there is no sound record, but the one at offset " + laterOffset
                        + " was written after it had been durable");
            }
        }
    }

    /** A part of a file in memory. */
    private static final class Window {
        private static final int SIZE_MIN = 1 << 20;

        private final JournalFile file;
        private final long size;
        private ByteBuffer bytes = ByteBuffer.allocate(SIZE_MIN).order(ByteOrder.LITTLE_ENDIAN).limit(0);
        private long first;

        private Window(JournalFile file) throws IOException {
            this.file = file;
            this.size = file.size();
        }

        /** Returns where the byte of the file is in {@link #bytes}. */
        int at(long offset) {
            return (int) (offset - first);
        }

        /** Says whether the file has so many bytes there; they are in memory then. */
        boolean has(long offset, int count) throws IOException {
            if (offset + count > size) {
                return false;
            }
            if (offset < first || offset + count > first + bytes.limit()) {
                if (count > bytes.capacity()) {
                    bytes = ByteBuffer.allocate(count + SIZE_MIN).order(ByteOrder.LITTLE_ENDIAN);
                }
                bytes.clear();
                first = offset;
                file.read(bytes, offset);
                bytes.flip();
            }
            return count <= bytes.limit();
        }

        /** Returns the size of the payload of the frame there, which is in memory then; -1: there is none. */
        int soundFrame(long offset, long position) throws IOException {
            if (!has(offset, JournalFrame.HEADER_SIZE)) {
                return -1;
            }
            int payloadSize = JournalFrame.payloadSize(bytes, at(offset), position);
            if (payloadSize < 0 || !has(offset, JournalFrame.size(payloadSize))) {
                return -1;
            }
            return JournalFrame.isSound(bytes, at(offset), payloadSize) ? payloadSize : -1;
        }
    }
}
