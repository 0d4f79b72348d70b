package org.daedalus.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts a stream of bytes into checked frames, however the stream was cut into pieces.
 *
 * <p>Decides what a well-formed frame is; knows nothing of payloads. Holds at most one unfinished frame, and memory
 * only for
 * what has arrived of it, so that a lying length costs nothing. After a {@link WireException} it must not be fed again.
 */
public final class Framer {
    private static final int START_SIZE = 4_096;

    private final int frameSizeMax;
    private byte[] held = new byte[START_SIZE];
    private int heldSize;

    /**
     * Makes a framer at the start of a stream.
     *
     * @param frameSizeMax largest frame accepted, its length field included
     */
    public Framer(int frameSizeMax) {
        if (frameSizeMax < Frame.OVERHEAD || frameSizeMax > Frame.SIZE_MAX) {
            throw new IllegalArgumentException("frameSizeMax " + frameSizeMax);
        }
        this.frameSizeMax = frameSizeMax;
    }

    /** Takes {@code length} bytes and returns the frames they complete, in order. */
    public List<Frame> feed(byte[] bytes, int offset, int length) throws WireException {
        List<Frame> frames = new ArrayList<>();
        int position = offset;
        int rest = length;
        while (rest > 0) {
            if (heldSize == 0) {
                int size = rest >= Frame.LENGTH_SIZE ? checkedSize(bytes, position) : Integer.MAX_VALUE;
                if (rest >= size) {
                    frames.add(decode(bytes, position, size));
                    position += size;
                    rest -= size;
                    continue;
                }
            }
            int wanted = heldSize < Frame.LENGTH_SIZE ? Frame.LENGTH_SIZE : checkedSize(held, 0);
            int taken = Math.min(wanted - heldSize, rest);
            hold(bytes, position, taken);
            position += taken;
            rest -= taken;
            if (heldSize >= Frame.LENGTH_SIZE && heldSize == checkedSize(held, 0)) {
                frames.add(decode(held, 0, heldSize));
                heldSize = 0;
                held = held.length > START_SIZE ? new byte[START_SIZE] : held;
            }
        }
        return frames;
    }

    private void hold(byte[] bytes, int offset, int length) {
        if (heldSize + length > held.length) {
            held = Arrays.copyOf(held, Math.min(frameSizeMax, Math.max(heldSize + length, 2 * held.length)));
        }
        System.arraycopy(bytes, offset, held, heldSize, length);
        heldSize += length;
    }

    /** Size of the frame whose length field is at {@code offset}, length field included. */
    private int checkedSize(byte[] bytes, int offset) throws WireException {
        long length = Integer.toUnsignedLong(littleEndian(bytes, offset, Frame.LENGTH_SIZE).getInt());
        if (length < Frame.OVERHEAD - Frame.LENGTH_SIZE || length > frameSizeMax - Frame.LENGTH_SIZE) {
            throw new WireException("frame length " + length + " is outside "
                    + (Frame.OVERHEAD - Frame.LENGTH_SIZE) + ".." + (frameSizeMax - Frame.LENGTH_SIZE));
        }
        return (int) length + Frame.LENGTH_SIZE;
    }

    private static Frame decode(byte[] bytes, int offset, int size) throws WireException {
        ByteBuffer in = littleEndian(bytes, offset, size);
        int version = Byte.toUnsignedInt(in.get(offset + 4));
        if (version != Frame.VERSION) {
            throw new WireException("protocol version " + version + ", this side speaks " + Frame.VERSION);
        }
        FrameType type = FrameType.ofCode(Byte.toUnsignedInt(in.get(offset + 5)));
        if (type == null) {
            throw new WireException("unknown frame type " + Byte.toUnsignedInt(in.get(offset + 5)));
        }
        int flags = Short.toUnsignedInt(in.getShort(offset + 6));
        if (flags != 0) {
            throw new WireException("frame flags " + flags + ", none is defined");
        }
        int expected = in.getInt(offset + size - Frame.CHECKSUM_SIZE);
        int actual = Frame.checksum(bytes, offset, size - Frame.CHECKSUM_SIZE);
        if (expected != actual) {
            throw new WireException(String.format("frame checksum %08x, computed %08x", expected, actual));
        }
        int payloadEnd = offset + size - Frame.CHECKSUM_SIZE;
        return new Frame(type, Arrays.copyOfRange(bytes, offset + Frame.HEADER_SIZE, payloadEnd));
    }

    private static ByteBuffer littleEndian(byte[] bytes, int offset, int length) {
        return ByteBuffer.wrap(bytes, offset, length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
