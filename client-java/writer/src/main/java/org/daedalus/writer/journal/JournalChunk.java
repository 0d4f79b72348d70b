package org.daedalus.writer.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Records that are written and forced together, encoded once. Used by one thread at a time. */
final class JournalChunk {
    private static final int SIZE_MIN = 256 << 10;
    /** A buffer that has grown beyond this is not used again. */
    private static final int SIZE_KEPT_MAX = 8 << 20;

    private ByteBuffer bytes = allocate(SIZE_MIN);
    private long firstPosition;
    /** The first update in it; 0: there is none. */
    private long firstTimestamp;
    private long lastTimestamp;

    private static ByteBuffer allocate(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Empties it. */
    void begin(long position) {
        if (bytes.capacity() > SIZE_KEPT_MAX) {
            bytes = allocate(SIZE_MIN);
        }
        bytes.clear();
        firstPosition = position;
        firstTimestamp = 0;
        lastTimestamp = 0;
    }

    boolean isEmpty() {
        return bytes.position() == 0;
    }

    int size() {
        return bytes.position();
    }

    long firstPosition() {
        return firstPosition;
    }

    long endPosition() {
        return firstPosition + bytes.position();
    }

    /** Returns the last update in it; 0: there is none. */
    long lastTimestamp() {
        return lastTimestamp;
    }

    /** Returns the first update in it; 0: there is none. */
    long firstTimestamp() {
        return firstTimestamp;
    }

    /** Returns the position of the record. */
    long append(int kind, int payloadSize, long timestamp, long durable, JournalLog.Payload payload) {
        int at = bytes.position();
        int size = JournalFrame.size(payloadSize);
        makeRoom(size);
        bytes.position(at + JournalFrame.HEADER_SIZE);
        payload.writeTo(bytes);
        if (bytes.position() != at + JournalFrame.HEADER_SIZE + payloadSize) {
            throw new IllegalStateException("a record of " + payloadSize + " bytes wrote "
                    + (bytes.position() - at - JournalFrame.HEADER_SIZE));
        }
        long position = firstPosition + at;
        JournalFrame.complete(bytes, at, payloadSize, position, durable, kind);
        bytes.position(at + size);
        if (timestamp != 0) {
            firstTimestamp = firstTimestamp == 0 ? timestamp : firstTimestamp;
            lastTimestamp = timestamp;
        }
        return position;
    }

    private void makeRoom(int size) {
        if (bytes.remaining() < size) {
            ByteBuffer larger = allocate(Math.max(2 * bytes.capacity(), bytes.position() + size));
            larger.put(bytes.flip());
            bytes = larger;
        }
    }

    /** Returns all records, to be read. */
    ByteBuffer content() {
        return bytes.duplicate().flip();
    }
}
