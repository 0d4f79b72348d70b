package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FramerTest {
    private static final byte[] FRAME = new Frame(FrameType.GOODBYE, new byte[] {10, 3, 'e', 'n', 'd'}).encode();

    private static final int[] SIZES_MAX = {20, 20, 20_000, 500_000};

    @Test
    void shouldHoldPartialFrameUntilTheRestArrives() throws WireException {
        for (int cut = 0; cut < FRAME.length; cut++) {
            Framer framer = new Framer(Frame.SIZE_MAX);
            assertThat(framer.feed(ByteBuffer.wrap(FRAME, 0, cut))).isEmpty();
            List<Frame> frames = framer.feed(ByteBuffer.wrap(FRAME, cut, FRAME.length - cut));
            assertThat(frames).hasSize(1);
            assertThat(frames.get(0).type()).isEqualTo(FrameType.GOODBYE);
            assertThat(frames.get(0).payload()).containsExactly(10, 3, 'e', 'n', 'd');
        }
    }

    @Test
    void shouldCutAnyStreamInAnyPiecesIntoTheSameFrames() throws WireException {
        long seed = Seeds.seed();
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            ByteWriter stream = new ByteWriter(1_000);
            List<byte[]> payloads = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                byte[] payload = new byte[random.nextInt(SIZES_MAX[random.nextInt(SIZES_MAX.length)])];
                random.nextBytes(payload);
                payloads.add(payload);
                stream.put(new Frame(FrameType.OPERATIONS, payload).encode());
            }
            byte[] bytes = stream.toByteArray();
            Framer framer = new Framer(Frame.SIZE_MAX);
            List<byte[]> seen = new ArrayList<>();
            for (int at = 0; at < bytes.length; ) {
                int piece = Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 5 : 30_000));
                framer.feed(ByteBuffer.wrap(bytes, at, piece)).forEach(frame -> seen.add(frame.payload()));
                at += piece;
            }
            assertThat(seen).as("seed %d", seed).containsExactlyElementsOf(payloads);
        }
    }

    @Test
    void shouldRefuseEveryFlippedBit() {
        for (int bit = 0; bit < 8 * FRAME.length; bit++) {
            byte[] broken = FRAME.clone();
            broken[bit / 8] ^= (byte) (1 << (bit % 8));
            Framer framer = new Framer(1_024);
            try {
                // A length that grew makes the framer wait for more; everything else must be refused.
                assertThat(framer.feed(ByteBuffer.wrap(broken))).as("bit %d", bit).isEmpty();
                assertThat(bit).isLessThan(16);
            } catch (WireException expected) {
                assertThat(expected.getMessage()).isNotEmpty();
            }
        }
    }

    @Test
    void shouldRefuseWrongLengthVersionTypeAndFlags() {
        refuse(withInteger(0, 7), "frame length 7");
        refuse(withInteger(0, 0xffffffff), "frame length 4294967295");
        refuse(resealed(4, 1), "protocol version 1");
        refuse(resealed(5, 6), "frame type 6");
        refuse(resealed(5, 0), "frame type 0");
        refuse(resealed(7, 1), "frame flags 256");
        assertThatThrownBy(() -> new Framer(16).feed(ByteBuffer.wrap(FRAME))).hasMessageContaining("outside 8..12");
    }

    private static void refuse(byte[] bytes, String reason) {
        assertThatThrownBy(() -> new Framer(Frame.SIZE_MAX).feed(ByteBuffer.wrap(bytes)))
                .isInstanceOf(WireException.class).hasMessageContaining(reason);
    }

    private static byte[] withInteger(int offset, int value) {
        ByteWriter out = new ByteWriter(FRAME.length);
        out.put(FRAME);
        out.setInteger(offset, value, 4);
        return out.toByteArray();
    }

    private static byte[] resealed(int offset, int value) {
        byte[] bytes = FRAME.clone();
        bytes[offset] = (byte) value;
        ByteWriter out = new ByteWriter(bytes.length);
        out.put(bytes);
        out.setInteger(bytes.length - 4, Frame.checksum(bytes, 0, bytes.length - 4), 4);
        return out.toByteArray();
    }
}
