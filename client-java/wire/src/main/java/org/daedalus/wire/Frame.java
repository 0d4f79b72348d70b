package org.daedalus.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * One frame: a type and its payload, a Protocol Buffers message that is not parsed here.
 *
 * @param payload owned by the frame; not copied
 */
public record Frame(FrameType type, byte[] payload) {
    /** Protocol version in every frame. */
    public static final int VERSION = 1;
    /** Largest frame, its length field included. */
    public static final int SIZE_MAX = 16 << 20;
    /** Bytes around the payload: length, version, type, flags and checksum. */
    public static final int OVERHEAD = 12;

    static final int LENGTH_SIZE = 4;
    static final int HEADER_SIZE = 8;
    static final int CHECKSUM_SIZE = 4;

    /** The frame's bytes, length field and checksum included. Cost: one copy of the payload, one pass of CRC-32C. */
    public byte[] encode() {
        int size = Math.addExact(payload.length, OVERHEAD);
        if (size > SIZE_MAX) {
            throw new IllegalArgumentException("frame of " + size + " bytes exceeds " + SIZE_MAX);
        }
        byte[] bytes = new byte[size];
        ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(size - LENGTH_SIZE).put((byte) VERSION).put((byte) type.code()).putShort((short) 0).put(payload);
        out.putInt(checksum(bytes, 0, size - CHECKSUM_SIZE));
        return bytes;
    }

    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
