package org.daedalus.client.internal.answers;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how many bytes of answers may wait to be read, over all answers of a client, so that an answer that nobody
 * reads leaves room for those of others: one may have as many bytes as seven times what is free, which alone is seven
 * eighths of all (dynamic thresholds: Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches", 1998). Thread-safe.
 */
public final class BufferSpace {
    /** Says whether there is room, and otherwise who has it. */
    public enum Room {
        /** The bytes are accounted for. */
        RESERVED,
        /** Other answers have too much. */
        TAKEN_BY_OTHERS,
        /** The answer that asks would have more than half alone. */
        TAKEN_ALONE
    }

    private static final long TIMES_FREE_MAX = 7;
    private static final long USUAL_BYTES_MAX = 256L << 20;
    private static final long HEAP_SHARE = 4;

    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    public BufferSpace(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns how many bytes may wait where nobody says so, in a process whose heap may grow to so many bytes. */
    public static long usualBytesMax(long heapBytesMax) {
        return Math.min(USUAL_BYTES_MAX, heapBytesMax / HEAP_SHARE);
    }

    /**
     * Accounts for bytes that are kept from now on, if there is room for them.
     *
     * @param had what the answer that they are of has reserved already
     */
    Room reserve(long size, long had) {
        long free = bytesMax - bytes.addAndGet(size);
        if ((had + size) / TIMES_FREE_MAX <= free) {
            return Room.RESERVED;
        }
        bytes.addAndGet(-size);
        return had + size > bytesMax / 2 ? Room.TAKEN_ALONE : Room.TAKEN_BY_OTHERS;
    }

    void release(long size) {
        bytes.addAndGet(-size);
    }

    public long bytes() {
        return bytes.get();
    }

    public long bytesMax() {
        return bytesMax;
    }
}
