package org.daedalus.client.internal.sending;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.daedalus.channel.Channel;
import org.daedalus.channel.ChannelLimits;
import org.daedalus.channel.Peer;
import org.daedalus.channel.PeerHandler;
import org.daedalus.channel.PeerNetwork;
import org.daedalus.client.ConnectionListener;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.answers.BufferSpace;
import org.daedalus.client.internal.protocol.ClientActions;
import org.daedalus.client.internal.protocol.ClientCore;
import org.daedalus.client.internal.protocol.ClusterIdentity;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.BuildVersion;
import org.daedalus.wire.Features;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Role;

/** Drives a {@link ClientCore}: owns the network, passes time in, carries its actions out, arms one timer. */
public final class Connections implements PeerHandler, AutoCloseable {
    /**
     * An application's thread asks for this.
     *
     * @param abortion what the request is to end in; null: it is to be sent
     */
    private record Asked(Request request, DaedalusException abortion) {}

    /**
     * The choices of an application that concern connections and what is sent on them.
     *
     * @param name of this process in the cluster's logs
     * @param aggregators host:port of each
     * @param inFlightMax bounds the requests in flight, over all aggregators
     * @param bufferedBytesMax bounds the answers that wait to be read
     * @param repeatsRefused says to ask again what was refused because something was full
     * @param clusterId of the only cluster to connect to; empty: any
     * @param subscriberExecutor calls the subscribers of rows
     */
    public record Options(String name, List<String> aggregators, int inFlightMax, long bufferedBytesMax,
            boolean repeatsRefused, String clusterId, ConnectionListener listener, Executor subscriberExecutor) {}

    private final PeerNetwork network;
    private final TurnQueue<Asked> turns;
    private final ClientCore core;
    private final ConnectionEvents events;
    private final String name;
    private final int inFlightMax;
    private final BufferSpace buffers;
    private final Executor subscriberExecutor;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Map<Long, Peer> peers = new HashMap<>();
    private final CompletableFuture<Void> firstContact = new CompletableFuture<>();
    private long armedNs = Long.MAX_VALUE;
    private volatile ClusterIdentity cluster = ClusterIdentity.NONE;
    private volatile long writerEpoch;
    private volatile long sendings;

    public Connections(Options options) {
        this.name = options.name();
        this.inFlightMax = options.inFlightMax();
        this.buffers = new BufferSpace(options.bufferedBytesMax());
        this.subscriberExecutor = options.subscriberExecutor();
        this.events = new ConnectionEvents(options.listener());
        this.core = new ClientCore(options.aggregators(), options.repeatsRefused(), options.clusterId());
        this.network = new PeerNetwork("daedalus-client", this::hello, ChannelLimits.DEFAULT, this);
        this.turns = new TurnQueue<>(network::execute, this::take, this::refuse);
        options.aggregators().forEach(network::dial);
    }

    /** Says whether the calling thread must not wait for answers, since it is the one that brings them. */
    public boolean inNetworkThread() {
        return network.inNetworkThread();
    }

    public long nowNs() {
        return network.nowNs();
    }

    /** Takes a request, or fails it at once when too many are in flight. Any thread. */
    public void submit(Request request) {
        if (closed.get()) {
            refuseClosed(request);
            return;
        }
        if (inFlight.incrementAndGet() > inFlightMax) {
            inFlight.decrementAndGet();
            request.responder().onFailure(new DaedalusException(Category.RETRY, "53300",
                    "more than " + inFlightMax + " requests are in flight"));
            return;
        }
        turns.add(new Asked(request, null));
    }

    /** Ends a request with {@code failure} unless it has ended. Any thread. */
    public void abort(Request request, DaedalusException failure) {
        turns.add(new Asked(request, failure));
    }

    private void take(Asked asked) {
        if (asked.request.isHold()) {
            carryOut(core.holds().take(asked.request, nowNs()));
        } else {
            carryOut(asked.abortion == null ? core.submit(asked.request, nowNs())
                    : core.abort(asked.request, asked.abortion, nowNs()));
        }
    }

    /** Lets a moment go that a request of kind HOLD has taken. Any thread. */
    public void release(long moment) {
        network.execute(() -> carryOut(core.holds().release(moment, nowNs())));
    }

    private void refuse(Asked asked) {
        if (asked.abortion == null) {
            inFlight.decrementAndGet();
            refuseClosed(asked.request);
        }
    }

    private static void refuseClosed(Request request) {
        request.responder().onFailure(new DaedalusException(Category.FATAL, "08003", "the client is closed"));
    }

    /** Completes when the first connection is there, or none can be made; never fails. */
    public CompletableFuture<Void> firstContact() {
        return firstContact.copy();
    }

    /** Returns the account of the bytes that wait to be read. */
    public BufferSpace buffers() {
        return buffers;
    }

    /** Calls the subscribers of rows. */
    public Executor subscriberExecutor() {
        return subscriberExecutor;
    }

    /**
     * Returns the cluster of the last connection that was made; {@link ClusterIdentity#NONE} before the first. Any
     * thread.
     */
    public ClusterIdentity cluster() {
        return cluster;
    }

    /** Returns the writer's epoch, as far as it is known; 0: it is not. Any thread may call it. */
    public long writerEpoch() {
        return writerEpoch;
    }

    /** Operations sent so far, repetitions included. Any thread. */
    public long sendings() {
        return sendings;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            network.execute(() -> {
                carryOut(core.close());
                carryOut(core.holds().close());
            });
            network.close();
            firstContact.complete(null);
        }
    }

    @Override
    public void onUp(Peer peer) {
        String endpoint = peer.dialledEndpoint().orElseThrow();
        ClientActions actions = core.onUp(endpoint, peer.id(), peer.hello(), nowNs());
        if (actions.peerRefusal() != null) {
            peer.close(actions.peerRefusal());
            return;
        }
        cluster = core.cluster();
        peers.put(peer.id(), peer);
        events.connected(endpoint);
        carryOut(actions);
        carryOut(core.holds().step(nowNs()));
    }

    @Override
    public void onDown(Peer peer, String reason) {
        String endpoint = peer.dialledEndpoint().orElseThrow();
        if (peers.remove(peer.id()) == null) {
            onHelloRefused(endpoint, reason);
            return;
        }
        if (!closed.get()) {
            events.lost(endpoint, reason);
        }
        carryOut(core.onDown(endpoint, peer.id(), reason, nowNs()));
        carryOut(core.holds().onDown(peer.id(), nowNs()));
    }

    @Override
    public void onDialFailed(String endpoint, String reason) {
        events.reconnecting(endpoint, reason);
        carryOut(core.onDialFailed(endpoint, reason, false));
        carryOut(core.holds().step(nowNs()));
    }

    @Override
    public void onHelloRefused(String endpoint, String reason) {
        if (!closed.get()) {
            events.reconnecting(endpoint, reason);
        }
        carryOut(core.onDialFailed(endpoint, reason, true));
        carryOut(core.holds().step(nowNs()));
    }

    @Override
    public void onResult(Peer peer, ArrivedResult result) {
        carryOut(core.holds().isAnswer(peer.id(), result) ? core.holds().onResult(result, nowNs())
                : core.onResult(peer.id(), result, nowNs()));
    }

    private Hello hello() {
        ClusterIdentity expected = core.expectedCluster();
        return Hello.newBuilder().setRole(Role.ROLE_CLIENT).setName(name)
                .setSoftwareVersion(BuildVersion.VERSION)
                .setFeatures(Features.MOMENTS)
                .setClusterId(expected.clusterId())
                .setSchemaFingerprint(expected.schemaFingerprint()).build();
    }

    private void carryOut(ClientActions actions) {
        for (ClientActions.Send send : actions.sends()) {
            Peer peer = peers.get(send.peerId());
            sendings++;
            Channel.Offer offer = peer == null ? Channel.Offer.DOWN
                    : send.isVoid() ? Channel.Offer.FULL : peer.send(send);
            boolean refused = offer == Channel.Offer.TOO_LARGE || offer == Channel.Offer.FULL;
            if (refused && send.request() != null) {
                carryOut(core.onSendRefused(send.request(), offer == Channel.Offer.TOO_LARGE, nowNs()));
            } else if (refused && send.isHold()) {
                carryOut(core.holds().onUnsent(nowNs()));
            }
        }
        if (writerEpoch != core.writerEpoch()) {
            writerEpoch = core.writerEpoch();
        }
        for (ClientActions.Delivery delivery : actions.deliveries()) {
            if (delivery.last()) {
                inFlight.decrementAndGet();
            }
            if (delivery.failure() != null) {
                delivery.request().responder().onFailure(delivery.failure());
            } else {
                delivery.request().responder().onResult(delivery.result());
            }
        }
        armTimer();
        if (!firstContact.isDone() && core.isDecided()) {
            firstContact.complete(null);
        }
    }

    private void armTimer() {
        long deadlineNs = Math.min(core.nextDeadlineNs(), core.holds().nextDeadlineNs());
        if (deadlineNs < armedNs) {
            armedNs = deadlineNs;
            network.schedule(() -> onTimer(deadlineNs), deadlineNs - nowNs());
        }
    }

    /** A timer that an earlier one has replaced does nothing. */
    private void onTimer(long deadlineNs) {
        if (armedNs == deadlineNs) {
            armedNs = Long.MAX_VALUE;
            carryOut(core.onTick(nowNs()));
            carryOut(core.holds().onTick(nowNs()));
        }
    }
}
