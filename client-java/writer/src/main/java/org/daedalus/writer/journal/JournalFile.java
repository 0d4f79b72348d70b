package org.daedalus.writer.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One file of a {@link JournalFolder}. */
public interface JournalFile extends Closeable {
    /**
     * Writes all of {@code source} from {@code offset} on.
     *
     * @throws DiskFullException when there is no room; some of it may have been written
     */
    void write(ByteBuffer source, long offset) throws IOException;

    /** Reads from {@code offset} until {@code target} is full or the file ends; returns how many bytes it read. */
    int read(ByteBuffer target, long offset) throws IOException;

    /** Returns the size in bytes. */
    long size() throws IOException;

    /**
     * Makes what was written survive a loss of power. Once it has failed it must not be called again on this file: the
     * system may have dropped what it could not write, and say that all is well.
     */
    void force() throws IOException;
}
