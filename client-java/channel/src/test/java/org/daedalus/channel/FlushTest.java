package org.daedalus.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.Frame;
import org.daedalus.wire.FrameType;
import org.daedalus.wire.Framer;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.Role;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When operations leave: counted in frames on an event loop whose turns and whose clock the test holds. */
class FlushTest {
    private static final Hello AGGREGATOR =
            Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setFrameSizeMax(Frame.SIZE_MAX).build();

    private final List<Peer> up = new ArrayList<>();
    private final PeerNetwork network = new PeerNetwork("flush-test",
            () -> Hello.newBuilder().setRole(Role.ROLE_CLIENT).build(), ChannelLimits.DEFAULT, new PeerHandler() {
                @Override
                public void onUp(Peer peer) {
                    up.add(peer);
                }

                @Override
                public void onDown(Peer peer, String reason) {
                    up.remove(peer);
                }
            });
    private final Framer framer = new Framer(Frame.SIZE_MAX);
    private EmbeddedChannel socket;

    @BeforeEach
    void connect() throws Exception {
        socket = new EmbeddedChannel();
        socket.freezeTime();
        socket.pipeline().addLast(new PeerConnection(network, Endpoint.parse("a:1"), 1));
        socket.pipeline().fireChannelActive();
        socket.writeInbound(io.netty.buffer.Unpooled.wrappedBuffer(
                new Frame(FrameType.HELLO, AGGREGATOR.toByteArray()).encode()));
        assertThat(sent()).extracting(Frame::type).containsExactly(FrameType.HELLO);
        assertThat(up).hasSize(1);
    }

    @AfterEach
    void close() {
        socket.close();
        network.close();
    }

    private List<Frame> sent() throws Exception {
        List<Frame> frames = new ArrayList<>();
        for (ByteBuf out = socket.readOutbound(); out != null; out = socket.readOutbound()) {
            byte[] bytes = new byte[out.readableBytes()];
            out.readBytes(bytes);
            out.release();
            frames.addAll(framer.feed(ByteBuffer.wrap(bytes)));
        }
        return frames;
    }

    private void send(int sequence) {
        Operation operation =
                Operation.newBuilder().setHeader(OperationHeader.newBuilder().setSequence(sequence)).build();
        assertThat(up.get(0).send(operation)).isEqualTo(Channel.Offer.ACCEPTED);
    }

    private static int operations(Frame frame) throws Exception {
        assertThat(frame.type()).isEqualTo(FrameType.OPERATIONS);
        return OperationBatch.parseFrom(frame.payload()).getOperationsCount();
    }

    @Test
    void shouldSendALoneOperationInTheSameTurnAlthoughNoTimePasses() throws Exception {
        for (int sequence = 1; sequence <= 3; sequence++) {
            send(sequence);
            socket.runPendingTasks();
            List<Frame> frames = sent();
            assertThat(frames).hasSize(1);
            assertThat(operations(frames.get(0))).isEqualTo(1);
        }
    }

    @Test
    void shouldSendAllThatOneTurnSaysInOneFrame() throws Exception {
        for (int sequence = 1; sequence <= 1_000; sequence++) {
            int next = sequence;
            socket.eventLoop().execute(() -> send(next));
        }
        assertThat(sent()).isEmpty();
        socket.runPendingTasks();
        List<Frame> frames = sent();
        assertThat(frames).hasSize(1);
        assertThat(operations(frames.get(0))).isEqualTo(1_000);
    }
}
