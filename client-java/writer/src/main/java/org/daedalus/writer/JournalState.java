package org.daedalus.writer;

import org.daedalus.wire.v1.Error;

/**
 * Says how much the journal holds, and whether it takes more.
 *
 * @param bytes of its files
 * @param bytesMax 0: there is no journal
 * @param problem why it takes nothing for the moment; null: it does
 */
record JournalState(long bytes, long bytesMax, Error problem) {
    static final JournalState NONE = new JournalState(0, 0, null);

    boolean isFull() {
        return bytesMax > 0 && bytes >= bytesMax;
    }
}
