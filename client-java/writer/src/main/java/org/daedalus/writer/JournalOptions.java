package org.daedalus.writer;

import java.nio.file.Path;

/**
 * Says where a writer keeps what it must not forget.
 *
 * @param folder of this writer alone
 * @param bytesMax of its files; where they are not enough submissions are refused
 * @param adopts a new journal may begin behind updates that the nodes have from another one, which is lost
 */
public record JournalOptions(Path folder, long bytesMax, boolean adopts) {
    /** Unless something else is said. */
    public static final long BYTES_MAX_DEFAULT = 1L << 30;
    /** Less has no room for the largest update beside what is remembered. */
    public static final long BYTES_MAX_LEAST = 64L << 20;

    /** The most files that a journal has. */
    static final int FILES = 8;

    /** Refuses what has no room. */
    public JournalOptions {
        if (bytesMax < BYTES_MAX_LEAST) {
            throw new IllegalArgumentException("the journal may take " + bytesMax + " bytes: it needs at least "
                    + BYTES_MAX_LEAST);
        }
    }

    /** Returns options with the default size. */
    public static JournalOptions of(Path folder) {
        return new JournalOptions(folder, BYTES_MAX_DEFAULT, false);
    }
}
