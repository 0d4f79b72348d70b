package org.daedalus.writer.journal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The file that records are written to. Zeros are written ahead of them, so that a force has no size to change. */
final class JournalWriterFile {
    private static final int EXTENT_SIZE_MAX = 4 << 20;
    private static final int ALIGNMENT = 4_096;

    private final JournalFile file;
    private final JournalHeader header;
    private final ByteBuffer zeros;
    private long prewritten;
    private long written = JournalHeader.SIZE;

    private JournalWriterFile(JournalFile file, JournalHeader header, long fileBytes) {
        this.file = file;
        this.header = header;
        int extent = (int) Math.max(ALIGNMENT, Math.min(EXTENT_SIZE_MAX, fileBytes / 4) & -ALIGNMENT);
        this.zeros = ByteBuffer.allocateDirect(extent);
    }

    /**
     * Returns a file that has its name once its header is durable; one that never got there is removed at the next
     * start.
     */
    static JournalWriterFile create(JournalFolder folder, JournalHeader header, long fileBytes) throws IOException {
        String unfinished = JournalNames.unfinished(header.file());
        folder.delete(unfinished);
        JournalWriterFile made =
                new JournalWriterFile(folder.create(unfinished), header, fileBytes);
        try {
            made.prewrite(JournalHeader.SIZE);
            made.file.write(header.encode(), 0);
            made.file.force();
            folder.rename(unfinished, JournalNames.of(header.file()));
            folder.force();
            return made;
        } catch (IOException e) {
            made.close();
            throw e;
        }
    }

    JournalHeader header() {
        return header;
    }

    /** Returns the bytes that it takes. */
    long size() {
        return prewritten;
    }

    /** Returns the bytes of records. */
    long written() {
        return written - JournalHeader.SIZE;
    }

    private void prewrite(long through) throws IOException {
        while (prewritten < through) {
            file.write(zeros.duplicate(), prewritten);
            prewritten += zeros.capacity();
        }
    }

    /** May be repeated after a {@link DiskFullException}. */
    void write(JournalChunk chunk) throws IOException {
        long offset = JournalHeader.SIZE + chunk.firstPosition() - header.firstPosition();
        prewrite(offset + chunk.size());
        file.write(chunk.content(), offset);
        written = offset + chunk.size();
    }

    void force() throws IOException {
        file.force();
    }

    void close() {
        try {
            file.close();
        } catch (IOException e) {
            JournalLog.LOG.debug("closing a file of the journal: {}", e.getMessage());
        }
    }
}
