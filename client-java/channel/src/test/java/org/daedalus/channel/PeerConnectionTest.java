package org.daedalus.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.daedalus.wire.Frame;
import org.daedalus.wire.FrameType;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Role;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a connection waits for its peer, on an event loop whose clock the test holds. */
class PeerConnectionTest {
    private static final Frame HELLO = new Frame(FrameType.HELLO, Hello.newBuilder()
            .setRole(Role.ROLE_AGGREGATOR).setFrameSizeMax(Frame.SIZE_MAX).build().toByteArray());
    private static final Frame KEEP_ALIVE = new Frame(FrameType.KEEP_ALIVE, new byte[0]);
    private static final int DEAD_MS = 2_000;

    /** A socket whose peer may stop to read: nothing that is written leaves it then. */
    private static final class Wire extends ChannelOutboundHandlerAdapter {
        private boolean isStuck;

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (isStuck) {
                ReferenceCountUtil.release(message);
            } else {
                context.write(message, promise);
            }
        }
    }

    private long nowNs;
    private final List<Peer> up = new ArrayList<>();
    private final List<String> down = new ArrayList<>();
    private final PeerNetwork network = new PeerNetwork("connection-test",
            () -> Hello.newBuilder().setRole(Role.ROLE_CLIENT).build(), ChannelLimits.DEFAULT, new PeerHandler() {
                @Override
                public void onUp(Peer peer) {
                    up.add(peer);
                }

                @Override
                public void onDown(Peer peer, String reason) {
                    down.add(reason);
                }
            }, PeerNetwork.Waits.DEFAULT, () -> nowNs);
    private final Wire wire = new Wire();
    private EmbeddedChannel socket;

    @BeforeEach
    void connect() {
        socket = new EmbeddedChannel();
        socket.freezeTime();
        socket.pipeline().addLast(wire, new PeerConnection(network, null, 0));
        socket.pipeline().fireChannelActive();
        hear(HELLO);
        assertThat(up).hasSize(1);
    }

    @AfterEach
    void close() {
        socket.close();
        network.close();
    }

    private void hear(Frame frame) {
        socket.writeInbound(Unpooled.wrappedBuffer(frame.encode()));
    }

    /** The thread looks at its timers every millisecond. */
    private void pass(int ms) {
        for (int passed = 0; passed < ms; passed++) {
            beHeldUp(1);
        }
    }

    /** The thread looks at nothing before all of that time has passed. */
    private void beHeldUp(int ms) {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
        socket.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
        socket.runPendingTasks();
    }

    @Test
    void shouldGiveUpAGoodbyeThatThePeerDoesNotTakeWithin500Ms() {
        wire.isStuck = true;
        up.get(0).close("enough");
        pass(499);
        assertThat(socket.isOpen()).isTrue();
        pass(1);
        assertThat(socket.isOpen()).isFalse();
        assertThat(down).containsExactly("enough");
    }

    @Test
    void shouldLookOnceMoreForInputBeforeItBelievesInAPeersDeath() {
        pass(DEAD_MS + 9);
        assertThat(down).isEmpty();
        pass(1);
        assertThat(down).containsExactly("nothing heard for 2000 ms");
    }

    @Test
    void shouldHearWhatCameWhileItWasHeldUp() {
        beHeldUp(DEAD_MS + 500);
        hear(KEEP_ALIVE);
        pass(100);
        assertThat(down).isEmpty();
    }

    @Test
    void shouldLookOnceMoreAfterAHoldUpOfMoreThan100Ms() {
        pass(DEAD_MS);
        beHeldUp(101);
        assertThat(down).isEmpty();
        hear(KEEP_ALIVE);
        pass(100);
        assertThat(down).isEmpty();
    }

    @Test
    void shouldNotCallAHundredMillisecondsAHoldUp() {
        pass(DEAD_MS);
        beHeldUp(100);
        assertThat(down).hasSize(1);
    }
}
