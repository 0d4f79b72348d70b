package org.daedalus.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.daedalus.wire.v1.Hello;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections over TCP: dials endpoints, again and again with bounded back-off, and accepts connections. One thread
 * carries everything, so that what stands above needs no locks.
 *
 * <p>Decides when to dial and when to flush; what is legal on a connection is {@link Channel}'s word.
 */
public final class PeerNetwork implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(PeerNetwork.class);

    private static final int BREATHS_PER_KEEP_ALIVE = 5;
    static final int ACCEPTED_MAX = 1_024;

    /**
     * Bounds how long a network waits.
     *
     * @param connectMaxMs for a connection that is dialled
     * @param backOffMinMs before it dials again; twice as long after each failure
     * @param backOffMaxMs before it dials again, at most
     * @param shutdownMaxMs when it is closed: for goodbyes to be said, and for its thread to end
     */
    record Waits(int connectMaxMs, long backOffMinMs, long backOffMaxMs, long shutdownMaxMs) {
        static final Waits DEFAULT = new Waits(2_000, 20, 1_000, 2_000);
    }

    private final Supplier<Hello> hello;
    private final ChannelLimits limits;
    private final PeerHandler handler;
    private final Waits waits;
    private final LongSupplier clock;
    private final EventLoopGroup group;
    private final EventLoop loop;
    private final Set<PeerConnection> connections = new LinkedHashSet<>();
    private final Set<io.netty.channel.Channel> listeners = new LinkedHashSet<>();
    private long nextPeerId = 1;
    private long breatheNs;
    private int acceptedCount;
    private volatile boolean closed;

    /**
     * Makes a network without connections.
     *
     * @param name of the thread
     * @param hello what this side says about itself, asked for at each connection, on the network's thread
     */
    public PeerNetwork(String name, Supplier<Hello> hello, ChannelLimits limits, PeerHandler handler) {
        this(name, hello, limits, handler, Waits.DEFAULT, System::nanoTime);
    }

    PeerNetwork(String name, Supplier<Hello> hello, ChannelLimits limits, PeerHandler handler, Waits waits,
            LongSupplier clock) {
        this.hello = hello;
        this.limits = limits;
        this.handler = handler;
        this.waits = waits;
        this.clock = clock;
        this.breatheNs = clock.getAsLong();
        this.group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory(name, true), NioIoHandler.newFactory());
        this.loop = group.next();
    }

    /** Nanoseconds of a steady clock. */
    public long nowNs() {
        return clock.getAsLong();
    }

    /** Runs a task on the network's thread; false when the network is closed. */
    public boolean execute(Runnable task) {
        try {
            loop.execute(() -> {
                task.run();
                breathe();
            });
            return true;
        } catch (java.util.concurrent.RejectedExecutionException e) {
            return false;
        }
    }

    /** Runs a task on the network's thread after a while, unless the network is closed by then. */
    public void schedule(Runnable task, long delayNs) {
        if (!closed) {
            loop.schedule(task, Math.max(0, delayNs), TimeUnit.NANOSECONDS);
        }
    }

    public boolean inNetworkThread() {
        return loop.inEventLoop();
    }

    /** Keeps a connection to {@code endpoint} (host:port) from now on. */
    public void dial(String endpoint) {
        Endpoint parsed = Endpoint.parse(endpoint);
        execute(() -> connect(parsed, waits.backOffMinMs()));
    }

    /**
     * Accepts connections.
     *
     * @param port 0 takes a free one
     * @return the address bound
     */
    public InetSocketAddress listen(String host, int port) throws IOException {
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channelFactory(Sockets.Listening::new)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(initializer(null, 0))
                .bind(host, port)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + host + ":" + port + ": " + bound.cause().getMessage(), bound.cause());
        }
        execute(() -> listeners.add(bound.channel()));
        return (InetSocketAddress) bound.channel().localAddress();
    }

    /**
     * Says goodbye to all, closes, and waits for it, at most two seconds for the one and two for the other; on the
     * network's own thread it does not wait.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        // The group closes sockets before it runs what is queued: goodbyes have to be out by then.
        Future<?> goodbyes = loop.submit(() -> {
            listeners.forEach(io.netty.channel.Channel::close);
            List.copyOf(connections).forEach(connection -> connection.close("shutting down"));
        });
        if (inNetworkThread()) {
            goodbyes.addListener(done -> group.shutdownGracefully(0, waits.shutdownMaxMs(), TimeUnit.MILLISECONDS));
            return;
        }
        goodbyes.awaitUninterruptibly(waits.shutdownMaxMs(), TimeUnit.MILLISECONDS);
        group.shutdownGracefully(0, waits.shutdownMaxMs(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(waits.shutdownMaxMs(), TimeUnit.MILLISECONDS);
    }

    /** Dials; {@code backOffMs} is the pause before it dials again if this fails. */
    private void connect(Endpoint endpoint, long backOffMs) {
        if (closed) {
            return;
        }
        new Bootstrap()
                .group(loop)
                .channelFactory(Sockets.Dialled::new)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, waits.connectMaxMs())
                .handler(initializer(endpoint, backOffMs))
                .connect(endpoint.host(), endpoint.port())
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        handler.onDialFailed(endpoint.toString(), describe(connected.cause()));
                        redial(endpoint, backOffMs);
                    }
                });
    }

    private void redial(Endpoint endpoint, long backOffMs) {
        long nextBackOffMs = Math.min(waits.backOffMaxMs(), 2 * backOffMs);
        schedule(() -> connect(endpoint, nextBackOffMs), TimeUnit.MILLISECONDS.toNanos(backOffMs));
    }

    private ChannelInitializer<SocketChannel> initializer(Endpoint dialled, long backOffMs) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new PeerConnection(PeerNetwork.this, dialled, backOffMs));
            }
        };
    }

    private static String describe(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message.replaceFirst(": [^:]*/[0-9.:]+$", "");
    }

    // PeerConnection calls these on the network's thread.

    /**
     * Lets the network's peers hear of it between the pieces of a turn: a process that has just been started takes
     * seconds for what takes milliseconds later, and must not seem dead to its peers meanwhile.
     */
    void breathe() {
        long nowNs = nowNs();
        if (nowNs - breatheNs >= limits.keepAliveNs() / BREATHS_PER_KEEP_ALIVE) {
            breatheNs = nowNs;
            connections.forEach(connection -> connection.breathe(nowNs));
        }
    }

    /** Takes a new connection; returns false when there are too many and the connection is to be closed. */
    boolean onConnected(PeerConnection connection) {
        if (closed || (connection.dialled() == null && acceptedCount >= ACCEPTED_MAX)) {
            return false;
        }
        connections.add(connection);
        acceptedCount += connection.dialled() == null ? 1 : 0;
        return true;
    }

    void onDisconnected(PeerConnection connection, String reason, long backOffMs) {
        if (connections.remove(connection) && connection.dialled() == null) {
            acceptedCount--;
        }
        if (closed) {
            LOG.debug("connection to {} ended: {}", connection.address(), reason);
        } else {
            LOG.info("connection to {} ended: {}", connection.address(), reason);
        }
        if (connection.wasUp()) {
            handler.onDown(connection, reason);
        }
        if (connection.dialled() != null && !closed) {
            if (connection.isHelloRefused()) {
                handler.onHelloRefused(connection.dialled().toString(), reason);
            } else if (!connection.wasUp()) {
                handler.onDialFailed(connection.dialled().toString(), reason);
            }
            redial(connection.dialled(), connection.wasUp() ? waits.backOffMinMs() : backOffMs);
        }
    }

    long takePeerId() {
        return nextPeerId++;
    }

    Hello hello() {
        return hello.get();
    }

    ChannelLimits limits() {
        return limits;
    }

    PeerHandler handler() {
        return handler;
    }
}
