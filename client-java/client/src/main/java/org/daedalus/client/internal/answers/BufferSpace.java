package org.daedalus.client.internal.answers;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds how many bytes of answers may wait to be read, over all answers of a client. Thread-safe. */
public final class BufferSpace {
    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    public BufferSpace(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Accounts for bytes that are kept from now on; false: there is no room for them. */
    boolean reserve(long size) {
        if (bytes.addAndGet(size) > bytesMax) {
            bytes.addAndGet(-size);
            return false;
        }
        return true;
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
