package org.daedalus.wire;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
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
    public static final int VERSION = 5;
    /** Largest frame, its length field included. */
    public static final int SIZE_MAX = 16 << 20;
    /** Bytes around the payload: length, version, type, flags and checksum. */
    public static final int OVERHEAD = 12;

    static final int LENGTH_SIZE = 4;
    static final int HEADER_SIZE = 8;
    static final int CHECKSUM_SIZE = 4;

    /**
     * Returns the frame's bytes, length field and checksum included. Cost: one copy of the payload, one pass of
     * CRC-32C.
     */
    public byte[] encode() {
        byte[] bytes = room(payload.length);
        System.arraycopy(payload, 0, bytes, HEADER_SIZE, payload.length);
        return finish(type, bytes);
    }

    /** Returns the bytes of a frame with this message as its payload, which is written in place. */
    public static byte[] encode(FrameType type, MessageLite message) {
        int size = message.getSerializedSize();
        byte[] bytes = room(size);
        try {
            message.writeTo(CodedOutputStream.newInstance(bytes, HEADER_SIZE, size));
        } catch (IOException e) {
            throw new IllegalStateException("a message has written more than its size", e);
        }
        return finish(type, bytes);
    }

    private static byte[] room(int payloadSize) {
        int size = Math.addExact(payloadSize, OVERHEAD);
        if (size > SIZE_MAX) {
            throw new IllegalArgumentException("frame of " + size + " bytes exceeds " + SIZE_MAX);
        }
        return new byte[size];
    }

    /** Writes what is around the payload, which is in its place in {@code bytes}; these are the frame's then. */
    static byte[] finish(FrameType type, byte[] bytes) {
        int size = bytes.length - CHECKSUM_SIZE;
        littleEndian(bytes).putInt(bytes.length - LENGTH_SIZE).put((byte) VERSION).put((byte) type.code())
                .putShort((short) 0);
        littleEndian(bytes).putInt(size, checksum(bytes, 0, size));
        return bytes;
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
