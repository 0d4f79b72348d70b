package org.daedalus.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;

/** Carries out one {@link Channel}'s effects on one socket: reads, writes, one timer. Decides nothing itself. */
final class PeerConnection extends ChannelInboundHandlerAdapter implements Peer {
    /** A goodbye that the peer does not take within this time is given up. */
    private static final long GOODBYE_MAX_MS = 500;
    /** A peer that seems dead is looked at again after this time, in which its input is read: this side may be late. */
    private static final long UNREAD_GRACE_MS = 10;
    /** A thread that comes to it later than this was busy, and has not looked at its sockets as it should have. */
    private static final long PROMPT_MAX_NS = 100_000_000L;

    private final PeerNetwork network;
    private final Endpoint dialled;
    private final long backOffMs;
    private final long id;
    private ChannelHandlerContext context;
    private Channel channel;
    private String address = "?";
    private String closeReason;
    private long unsentBytes;
    private boolean flushPending;
    private boolean wasUp;
    private boolean helloRefused;

    PeerConnection(PeerNetwork network, Endpoint dialled, long backOffMs) {
        this.network = network;
        this.dialled = dialled;
        this.backOffMs = backOffMs;
        this.id = network.takePeerId();
    }

    Endpoint dialled() {
        return dialled;
    }

    boolean wasUp() {
        return wasUp;
    }

    boolean isHelloRefused() {
        return helloRefused;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public Hello hello() {
        return channel.peer();
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public Optional<String> dialledEndpoint() {
        return Optional.ofNullable(dialled).map(Endpoint::toString);
    }

    @Override
    public Channel.Offer send(Operation operation) {
        Channel.Offer offer = channel.offer(operation, unsentBytes);
        flushSoon();
        return offer;
    }

    @Override
    public Channel.Offer send(Outgoing outgoing) {
        Channel.Offer offer = channel.offer(outgoing, unsentBytes);
        flushSoon();
        return offer;
    }

    @Override
    public Channel.Offer send(Result result) {
        Channel.Offer offer = channel.offer(result, unsentBytes);
        flushSoon();
        return offer;
    }

    @Override
    public void close(String reason) {
        if (channel != null) {
            carryOut(channel.close(reason, network.nowNs()));
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        if (ctx.channel().remoteAddress() instanceof InetSocketAddress remote) {
            address = new Endpoint(remote.getAddress().getHostAddress(), remote.getPort()).toString();
        }
        if (!network.onConnected(this)) {
            closeReason = "too many connections";
            ctx.close();
            return;
        }
        channel = new Channel(network.hello(), network.limits(), network.nowNs());
        carryOut(channel.flush(network.nowNs()));
        armTimer();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            ByteBuf in = (ByteBuf) message;
            if (channel == null) {
                return;
            }
            carryOut(channel.onBytes(in.nioBuffer(), network.nowNs()));
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        network.onDisconnected(this, closeReason == null ? "connection closed by peer" : closeReason, backOffMs);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            ProcessEnd.onOutOfMemory(cause);
        }
        if (!(cause instanceof IOException)) {
            PeerNetwork.LOG.error("connection to {} failed", address, cause);
        }
        closeReason = closeReason == null ? String.valueOf(cause.getMessage()) : closeReason;
        ctx.close();
    }

    /**
     * The flush goes behind whatever the thread has to do already: what that adds leaves with it, in one frame, and
     * when there is nothing, it comes next. So batches grow with load, and nothing ever waits for a timer. Full batches
     * leave at once: the socket takes them while the thread makes the next.
     */
    private void flushSoon() {
        if (channel.unflushedBytes() >= network.limits().batchSizeTarget()) {
            write(channel.flush(network.nowNs()));
        } else if (!flushPending) {
            flushPending = true;
            context.executor().execute(() -> {
                flushPending = false;
                carryOut(channel.flush(network.nowNs()));
            });
        }
    }

    private void armTimer() {
        long deadlineNs = channel.nextDeadlineNs();
        if (deadlineNs != Long.MAX_VALUE && context.channel().isActive()) {
            context.executor().schedule(this::onTimer, deadlineNs - network.nowNs(), TimeUnit.NANOSECONDS);
        }
    }

    private void onTimer() {
        judge(Long.MIN_VALUE);
    }

    /**
     * Silence ends a connection only when this thread was there to hear it: before it believes in a peer's death it
     * looks at its sockets once more, without having been held up on the way.
     *
     * @param doubtedNs when it began to doubt; MIN_VALUE: it has not
     */
    private void judge(long doubtedNs) {
        long nowNs = network.nowNs();
        boolean hasListened = doubtedNs != Long.MIN_VALUE && nowNs - doubtedNs <= PROMPT_MAX_NS;
        if (channel.seemsDead(nowNs) && !hasListened) {
            context.executor().schedule(() -> judge(nowNs), UNREAD_GRACE_MS, TimeUnit.MILLISECONDS);
        } else {
            carryOut(channel.onTick(nowNs));
            armTimer();
        }
    }

    /** Lets the peer know that this side lives, in the middle of a long turn. */
    void breathe(long nowNs) {
        if (channel != null && context.channel().isActive()) {
            write(channel.breathe(nowNs));
        }
    }

    /** A frame that is missing would be a gap in the conversation, which ends with it. */
    private void onWritten(int bytes, Throwable failure) {
        unsentBytes -= bytes;
        if (failure != null && !(failure instanceof IOException)) {
            exceptionCaught(context, failure); // The socket itself reports a failure of its own.
        }
    }

    private void write(Effects effects) {
        for (byte[] frame : effects.frames()) {
            unsentBytes += frame.length;
            context.write(Unpooled.wrappedBuffer(frame)).addListener(done -> onWritten(frame.length, done.cause()));
        }
        if (!effects.frames().isEmpty()) {
            context.flush();
        }
    }

    private void carryOut(Effects effects) {
        write(effects);
        if (effects.peer() != null) {
            wasUp = true;
            network.handler().onUp(this);
        }
        for (Operation operation : effects.operations()) {
            network.handler().onOperation(this, operation);
            network.breathe();
        }
        for (ArrivedResult result : effects.results()) {
            network.handler().onResult(this, result);
            network.breathe();
        }
        if (effects.closeReason() != null) {
            closeReason = closeReason == null ? effects.closeReason() : closeReason;
            helloRefused |= effects.isHelloRefused();
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> context.close());
            context.executor().schedule(() -> context.close(), GOODBYE_MAX_MS, TimeUnit.MILLISECONDS);
        }
    }
}
