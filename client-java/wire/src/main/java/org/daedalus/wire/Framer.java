package org.daedalus.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Cuts a stream of bytes into checked frames, however the stream was cut into pieces.
 *
 * <p>Decides what a well-formed frame is; knows nothing of payloads. Holds at most one unfinished frame, and little
 * more memory than has arrived of it, so that a lying length costs next to nothing. A payload is put together in the
 * array in which it leaves. After a {@link WireException} it must not be fed again.
 */
public final class Framer {
    /** Memory for a payload starts with this; one that grows beyond what has arrived grows by the factor. */
    private static final int START_SIZE = 1 << 16;
    private static final int GROWTH = 4;
    private static final byte[] NOTHING = {};

    private final int frameSizeMax;
    /** The header stands before the payload, the checksum behind it. */
    private final ByteBuffer around = ByteBuffer.allocate(Frame.OVERHEAD).order(ByteOrder.LITTLE_ENDIAN);
    private byte[] payload = NOTHING;
    private int payloadSize;
    private int payloadHeld;

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

    /** Takes all bytes of {@code in} and returns the frames they complete, in order. */
    public List<Frame> feed(ByteBuffer in) throws WireException {
        List<Frame> frames = new ArrayList<>();
        while (in.hasRemaining()) {
            if (around.position() < Frame.LENGTH_SIZE) {
                if (takeAround(in, Frame.LENGTH_SIZE)) {
                    payloadSize = checkedSize(around.getInt(0)) - Frame.OVERHEAD;
                }
            } else if (around.position() < Frame.HEADER_SIZE) {
                takeAround(in, Frame.HEADER_SIZE);
            } else if (payloadHeld < payloadSize) {
                takePayload(in);
            } else if (takeAround(in, Frame.OVERHEAD)) {
                frames.add(checked());
                around.clear();
                payload = NOTHING;
                payloadHeld = 0;
            }
        }
        return frames;
    }

    /** Takes what is around the payload up to {@code wanted}, as far as it is there; false: not all of it is. */
    private boolean takeAround(ByteBuffer in, int wanted) {
        while (around.position() < wanted && in.hasRemaining()) {
            around.put(in.get());
        }
        return around.position() == wanted;
    }

    private void takePayload(ByteBuffer in) {
        int taken = Math.min(payloadSize - payloadHeld, in.remaining());
        int wanted = payloadHeld + taken;
        if (wanted > payload.length) {
            int room = Math.max(wanted, payloadHeld == 0 ? START_SIZE : GROWTH * payload.length);
            payload = Arrays.copyOf(payload, Math.min(payloadSize, room));
        }
        in.get(payload, payloadHeld, taken);
        payloadHeld = wanted;
    }

    /** Size of the frame with this length field, length field included. */
    private int checkedSize(int lengthField) throws WireException {
        long length = Integer.toUnsignedLong(lengthField);
        if (length < Frame.OVERHEAD - Frame.LENGTH_SIZE || length > frameSizeMax - Frame.LENGTH_SIZE) {
            throw new WireException("frame length " + length + " is outside "
                    + (Frame.OVERHEAD - Frame.LENGTH_SIZE) + ".." + (frameSizeMax - Frame.LENGTH_SIZE));
        }
        return (int) length + Frame.LENGTH_SIZE;
    }

    /** Returns the frame, all of which is held. */
    private Frame checked() throws WireException {
        int version = Byte.toUnsignedInt(around.get(4));
        if (version != Frame.VERSION) {
            throw new WireException("protocol version " + version + ", this side speaks " + Frame.VERSION);
        }
        FrameType type = FrameType.ofCode(Byte.toUnsignedInt(around.get(5)));
        if (type == null) {
            throw new WireException("unknown frame type " + Byte.toUnsignedInt(around.get(5)));
        }
        int flags = Short.toUnsignedInt(around.getShort(6));
        if (flags != 0) {
            throw new WireException("frame flags " + flags + ", none is defined");
        }
        int expected = around.getInt(Frame.HEADER_SIZE);
        int actual = checksum();
        if (expected != actual) {
            throw new WireException(String.format("frame checksum %08x, computed %08x", expected, actual));
        }
        return new Frame(type, payload);
    }

    private int checksum() {
        CRC32C crc = new CRC32C();
        crc.update(around.array(), 0, Frame.HEADER_SIZE);
        crc.update(payload, 0, payloadSize);
        return (int) crc.getValue();
    }
}
