package org.daedalus.writer.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** A frame surrounds each record: checksum, length, position, what was durable by then, kind; padded to eight bytes. */
final class JournalFrame {
    static final int HEADER_SIZE = 32;
    /** An update of the largest size with its routes is far below. */
    static final int PAYLOAD_SIZE_MAX = 64 << 20;

    private static final int CHECKED_OFFSET = 4;
    private static final int LENGTH_OFFSET = 4;
    private static final int POSITION_OFFSET = 8;
    private static final int DURABLE_OFFSET = 16;
    private static final int KIND_OFFSET = 24;
    private static final int ALIGNMENT = 8;

    private JournalFrame() {}

    /** Returns the bytes of the frame around so many. */
    static int size(int payloadSize) {
        return (HEADER_SIZE + payloadSize + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Completes the frame that begins at {@code at} and whose payload is there already. */
    static void complete(ByteBuffer bytes, int at, int payloadSize, long position, long durable, int kind) {
        bytes.putInt(at + LENGTH_OFFSET, payloadSize);
        bytes.putLong(at + POSITION_OFFSET, position);
        bytes.putLong(at + DURABLE_OFFSET, durable);
        bytes.putLong(at + KIND_OFFSET, kind);
        for (int pad = at + HEADER_SIZE + payloadSize; pad < at + size(payloadSize); pad++) {
            bytes.put(pad, (byte) 0);
        }
        bytes.putInt(at, checksum(bytes, at, size(payloadSize)));
    }

    private static int checksum(ByteBuffer bytes, int at, int size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(at + size).position(at + CHECKED_OFFSET));
        return (int) crc.getValue();
    }

    /** Returns the bytes that the payload at {@code at} says it has, if a frame may begin there; else -1. */
    static int payloadSize(ByteBuffer bytes, int at, long position) {
        int length = bytes.getInt(at + LENGTH_OFFSET);
        boolean isPossible = bytes.getLong(at + POSITION_OFFSET) == position && length >= 0
                && length <= PAYLOAD_SIZE_MAX;
        return isPossible ? length : -1;
    }

    static boolean isSound(ByteBuffer bytes, int at, int payloadSize) {
        return bytes.getInt(at) == checksum(bytes, at, size(payloadSize));
    }

    static long durable(ByteBuffer bytes, int at) {
        return bytes.getLong(at + DURABLE_OFFSET);
    }

    static int kind(ByteBuffer bytes, int at) {
        return (int) bytes.getLong(at + KIND_OFFSET);
    }
}
