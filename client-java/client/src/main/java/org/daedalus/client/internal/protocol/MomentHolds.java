package org.daedalus.client.internal.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.HoldBody;
import org.daedalus.wire.v1.Result;

/**
 * Holds moments at one aggregator for as long as the application wants, so that nothing that they need is trimmed
 * (docs/protocol.md, "Marks and moments").
 *
 * <p>That aggregator renews its word to the nodes by itself. When it is lost, the next one is told at once all that is
 * held: nodes remember a word for two seconds. One HOLD is under way at a time. Pure.
 */
public final class MomentHolds {
    /** A HOLD that nobody waits for is said again so long after it was refused. */
    static final long REPEAT_NS = 100_000_000L;

    private static final long NEVER = Long.MAX_VALUE;
    private static final long NOBODY = 0;
    /** In a HOLD this stands for a moment that the aggregator chooses. */
    private static final long NEW_MOMENT = 0;

    private final LivePeers peers;
    private final SeenMoment seen;
    /** Returns why no aggregator can be reached; null: one may still be. */
    private final Supplier<DaedalusException> unreachable;
    /** The moments that are held, and how often. */
    private final TreeMap<Long, Integer> held = new TreeMap<>();
    private final Deque<Request> takes = new ArrayDeque<>();
    /** This aggregator has been told what is held. */
    private long home = NOBODY;
    /** Its last word; null: it may hold something else. */
    private List<Long> said = List.of();
    /** The HOLD under way has this sequence; 0: none is. */
    private long sequence;
    /** The one that waits for its answer; null: nobody does. */
    private Request asking;
    /** The HOLD under way takes a new moment. */
    private boolean isTaking;
    private long repeatNs = NEVER;

    MomentHolds(LivePeers peers, SeenMoment seen, Supplier<DaedalusException> unreachable) {
        this.peers = peers;
        this.seen = seen;
        this.unreachable = unreachable;
    }

    /** Takes a new moment for the request, whose responder gets the Held that names it. */
    public ClientActions take(Request request, long nowNs) {
        takes.add(request);
        return step(nowNs);
    }

    /** Lets a moment go that was taken. */
    public ClientActions release(long moment, long nowNs) {
        held.computeIfPresent(moment, (key, count) -> count == 1 ? null : count - 1);
        return step(nowNs);
    }

    /** Aggregators have come, or cannot be reached: whatever can be said now is said. */
    public ClientActions step(long nowNs) {
        ClientActions actions = new ClientActions();
        say(nowNs, actions);
        return actions;
    }

    public ClientActions onDown(long peerId, long nowNs) {
        if (peerId == home) {
            home = NOBODY;
            sequence = 0;
            if (asking != null) {
                takes.addFirst(asking);
                asking = null;
            }
        }
        return step(nowNs);
    }

    /** Says whether the result answers the HOLD that is under way. */
    public boolean isAnswer(long peerId, ArrivedResult result) {
        return peerId == home && sequence != 0 && result.sequence() == sequence;
    }

    /** Takes the answer to the HOLD that is under way. */
    public ClientActions onResult(ArrivedResult arrived, long nowNs) {
        ClientActions actions = new ClientActions();
        sequence = 0;
        Result result = arrived.message();
        if (result.hasHeld()) {
            onHeld(arrived, actions);
        } else {
            onRefused(result.hasError() ? ClientAccess.get().failure(result.getError()) : ClientErrors.unknownKind(),
                    nowNs, actions);
        }
        say(nowNs, actions);
        return actions;
    }

    /** The HOLD could not be handed to its connection: there is no room. */
    public ClientActions onUnsent(long nowNs) {
        ClientActions actions = new ClientActions();
        sequence = 0;
        onRefused(ClientErrors.sendRefused(false), nowNs, actions);
        return actions;
    }

    public long nextDeadlineNs() {
        long firstNs = asking == null ? NEVER : asking.deadlineNs;
        for (Request take : takes) {
            firstNs = Math.min(firstNs, take.deadlineNs);
        }
        return Math.min(firstNs, repeatNs);
    }

    public ClientActions onTick(long nowNs) {
        ClientActions actions = new ClientActions();
        for (Request request : waiting()) {
            if (request.deadlineNs <= nowNs) {
                finish(request, ClientErrors.expired(request), actions);
            }
        }
        say(nowNs, actions);
        return actions;
    }

    /** The client is closed, and the aggregator lets all go when its connection ends. */
    public ClientActions close() {
        ClientActions actions = new ClientActions();
        waiting().forEach(request -> finish(request, ClientErrors.closed(request), actions));
        return actions;
    }

    private List<Request> waiting() {
        List<Request> all = new ArrayList<>(takes);
        if (asking != null) {
            all.add(asking);
        }
        return all;
    }

    private void say(long nowNs, ClientActions actions) {
        if (sequence != 0 || nowNs < repeatNs && repeatNs != NEVER) {
            return;
        }
        repeatNs = NEVER;
        LivePeers.Peer peer = homePeer(actions);
        List<Long> moments = heldMoments();
        if (peer == null || takes.isEmpty() && moments.equals(said)) {
            return;
        }
        asking = takes.poll();
        isTaking = asking != null;
        said = heldMoments();
        if (isTaking) {
            moments.add(NEW_MOMENT);
        }
        ClientActions.Send send = peer.hold(HoldBody.newBuilder().addAllMoments(moments).build().toByteString(),
                seen.timestamp(), asking == null ? 0 : Math.max(1, asking.deadlineNs - nowNs));
        sequence = send.bytes().sequence();
        actions.sends().add(send);
    }

    /** Returns the aggregator that is told; null: there is none, and whoever wants a moment has been told why. */
    private LivePeers.Peer homePeer(ClientActions actions) {
        LivePeers.Peer peer = peers.get(home);
        if (peer != null) {
            return peer;
        }
        peer = peers.firstThatKnowsMoments();
        home = peer == null ? NOBODY : peer.id;
        said = List.of();
        DaedalusException failure = peers.isEmpty() ? unreachable.get() : ClientErrors.noMoments();
        if (peer == null && failure != null) {
            waiting().forEach(request -> finish(request, failure, actions));
        }
        return peer;
    }

    private void onHeld(ArrivedResult arrived, ClientActions actions) {
        if (asking != null) {
            held.merge(arrived.message().getHeld().getOldest(), 1, Integer::sum);
            said = heldMoments();
            asking.finished = true;
            actions.deliveries().add(new ClientActions.Delivery(asking, arrived, null, true));
            asking = null;
        } else if (isTaking) {
            said = null; // It holds a moment that nobody wants any more.
        }
    }

    /** Returns the moments that can be named: the one before the first update cannot, and needs no rows. */
    private List<Long> heldMoments() {
        List<Long> moments = new ArrayList<>(held.keySet());
        moments.remove(Long.valueOf(NEW_MOMENT));
        return moments;
    }

    private void onRefused(DaedalusException failure, long nowNs, ClientActions actions) {
        if (asking != null) {
            finish(asking, failure, actions);
        } else {
            repeatNs = nowNs + REPEAT_NS;
        }
        said = null;
    }

    private void finish(Request request, DaedalusException failure, ClientActions actions) {
        takes.remove(request);
        asking = asking == request ? null : asking;
        if (!request.finished) {
            request.finished = true;
            actions.deliveries().add(new ClientActions.Delivery(request, null, failure, true));
        }
    }
}
