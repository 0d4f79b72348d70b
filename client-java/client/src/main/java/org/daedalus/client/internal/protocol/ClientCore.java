package org.daedalus.client.internal.protocol;

import java.util.List;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.client.DaedalusException;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;

/**
 * Decides which aggregator gets which request, and what becomes of requests when connections, answers and deadlines
 * come and go.
 *
 * <p>Pure: knows no sockets, threads and clocks. Requests take live aggregators in turn, each up to {@link
 * #PEER_IN_FLIGHT_MAX}; beyond, they wait for an answer to make room. A lost connection repeats a query only if nothing
 * of its answer had arrived, and an update under its submission id until its deadline. An update ends RETRY only if
 * every sending of it was answered by a refusal, and UNKNOWN once a sending has no answer. What is refused because
 * something was full is asked again, later and later, and updates no faster than the writer takes them ({@link
 * UpdateWindow}). Every request ends exactly once. The number of requests is bounded by the caller.
 */
public final class ClientCore {
    /** An aggregator takes so many requests from one connection before it refuses. */
    static final int PEER_IN_FLIGHT_MAX = 4_096;

    /** A writer that has taken more than half of what it remembers within one round trip is asked this often. */
    private static final int STALE_REFUSALS_MAX = 8;

    private final boolean repeatsRefused;
    private final ClusterBinding binding;
    private final Dials dials;
    private final LivePeers peers = new LivePeers();
    private final WaitingRequests waiting = new WaitingRequests();
    private final UpdateWindow window;
    private final AnswerColumns columns = new AnswerColumns();
    private final DeadlineHeap deadlines = new DeadlineHeap();
    private final SeenMoment seen = new SeenMoment();
    private final MomentHolds holds;
    private SubmissionStamp stamp = SubmissionStamp.NONE;
    private long nextRequestId = 1;
    private boolean closed;

    /**
     * Makes a core that knows no peer yet.
     *
     * @param repeatsRefused ask again what was refused because something was full, instead of reporting it
     * @param clusterId of the only cluster to connect to; empty: any
     */
    public ClientCore(List<String> endpoints, boolean repeatsRefused, String clusterId) {
        this.repeatsRefused = repeatsRefused;
        this.binding = new ClusterBinding(clusterId);
        this.dials = new Dials(endpoints);
        this.window = new UpdateWindow(repeatsRefused);
        this.holds = new MomentHolds(peers, seen, () -> dials.haveAllFailed() ? dials.failure() : null);
    }

    /** Returns the machine that holds moments there. */
    public MomentHolds holds() {
        return holds;
    }

    /** Returns when {@link #onTick} has something to do. */
    public long nextDeadlineNs() {
        long nextNs = deadlines.isEmpty() ? Long.MAX_VALUE : deadlines.first().deadlineNs;
        return Math.min(nextNs, waiting.nextRepeatNs());
    }

    /** Says whether a request that is submitted now need not wait for a first connection. */
    public boolean isDecided() {
        return !peers.isEmpty() || dials.haveAllFailed();
    }

    /** Returns the cluster of the last connection; {@link ClusterIdentity#NONE} before the first. */
    public ClusterIdentity cluster() {
        return binding.current();
    }

    /** Returns the cluster that the next connection must be to; empty names leave it open. */
    public ClusterIdentity expectedCluster() {
        return binding.expected(!peers.isEmpty());
    }

    /** Returns what is known of the writer. */
    SubmissionStamp stamp() {
        return stamp;
    }

    /** Returns the writer's epoch; 0: it is not known. */
    public long writerEpoch() {
        return stamp.epoch();
    }

    public ClientActions submit(Request request, long nowNs) {
        ClientActions actions = new ClientActions();
        request.id = nextRequestId++;
        deadlines.add(request);
        if (closed) {
            finish(request, ClientErrors.closed(request), actions);
        } else if (request.deadlineNs <= nowNs) {
            finish(request, ClientErrors.expired(request), actions);
        } else {
            place(request, nowNs, actions);
        }
        return actions;
    }

    /** A peer was reached and says {@code hello}. It is used unless the actions say why it must be left. */
    public ClientActions onUp(String endpoint, long peerId, Hello hello, long nowNs) {
        ClientActions actions = new ClientActions();
        String refusal = binding.refusal(hello, !peers.isEmpty());
        if (refusal != null) {
            actions.setPeerRefusal(refusal);
            return actions;
        }
        dials.onOpen(endpoint);
        String change = binding.bind(hello);
        if (change != null) {
            seen.forget();
            endWhatWasMeantForTheOld(change, actions);
        }
        if (peers.isEmpty()) {
            stamp = SubmissionStamp.NONE; // The cluster may have been started afresh meanwhile, and count from 1.
        }
        peers.add(peerId, hello);
        placeWaiting(nowNs, actions);
        return actions;
    }

    public ClientActions onDown(String endpoint, long peerId, String reason, long nowNs) {
        ClientActions actions = new ClientActions();
        dials.onOpen(endpoint);
        LivePeers.Peer peer = peers.remove(peerId);
        if (peer == null) {
            return actions;
        }
        for (Request request : peer.inFlight.inOrder()) {
            window.leave(request);
            request.definition = null;
            if (request.answered) {
                finish(request, ClientErrors.lostInTheMiddle(endpoint, reason), actions);
            } else {
                request.onLost();
                place(request, nowNs, actions);
            }
        }
        return actions;
    }

    /**
     * An endpoint could not be reached.
     *
     * @param isForeign somebody is there, but not an aggregator of this client's cluster
     */
    public ClientActions onDialFailed(String endpoint, String reason, boolean isForeign) {
        ClientActions actions = new ClientActions();
        dials.onFailed(endpoint, reason, isForeign);
        if (peers.isEmpty() && dials.haveAllFailed()) {
            for (Request request : waiting.forRoom()) {
                if (!request.mayHaveTakenEffect()) {
                    finish(request, dials.failure(), actions);
                }
            }
        }
        return actions;
    }

    /** All connections were lost, and the next one is to another cluster. */
    private void endWhatWasMeantForTheOld(String change, ClientActions actions) {
        for (Request request : deadlines.inOrder()) {
            DaedalusException failure = ClientErrors.clusterReplaced(request, change);
            if (failure != null) {
                finish(request, failure, actions);
            }
        }
    }

    /** Takes a result that is a message. */
    ClientActions onResult(long peerId, Result result, long nowNs) {
        return onResult(peerId, ArrivedResult.of(result), nowNs);
    }

    public ClientActions onResult(long peerId, ArrivedResult arrived, long nowNs) {
        ClientActions actions = new ClientActions();
        LivePeers.Peer peer = peers.get(peerId);
        Request request = peer == null ? null : peer.inFlight.get(arrived.sequence());
        if (arrived.isRows()) {
            onRows(peer, request, arrived, nowNs, actions);
        } else if (request != null) {
            onEnding(request, arrived, nowNs, actions);
            placeWaiting(nowNs, actions);
        }
        return actions;
    }

    /**
     * Takes rows, which may be the only ones that ever have the columns of their shape, even when they are late.
     *
     * @param peer null: it is gone
     * @param request null: it is over, by its deadline or an abort
     */
    private void onRows(LivePeers.Peer peer, Request request, ArrivedResult arrived, long nowNs,
            ClientActions actions) {
        try {
            if (request == null) {
                columns.learn(peer, arrived);
                return;
            }
            if (!request.answered) {
                request.setColumns(columns.of(peer, request, arrived));
                request.answered = true;
                seen.learnOfRows(arrived);
            }
            actions.deliveries().add(new ClientActions.Delivery(request, arrived, null, false));
        } catch (WireException e) {
            if (request != null) {
                sendAbort(request, actions);
                finish(request, ClientErrors.protocol(e.getMessage()), actions);
                placeWaiting(nowNs, actions);
            }
        }
    }

    private void onEnding(Request request, ArrivedResult arrived, long nowNs, ClientActions actions) {
        if (arrived.end() != null) {
            deliverLast(request, arrived, actions);
            return;
        }
        Result result = arrived.message();
        switch (result.getKindCase()) {
            case ERROR -> onError(request, ClientAccess.get().failure(result.getError()), nowNs, actions);
            case REFUSED -> onRefused(request, result.getRefused(), nowNs, actions);
            case CONFIRMED, DESCRIBED, STATUS, EPOCH -> {
                stamp = stamp.after(result);
                deliverLast(request, arrived, actions);
            }
            default -> finish(request, ClientErrors.unknownKind(), actions);
        }
    }

    private void deliverLast(Request request, ArrivedResult arrived, ClientActions actions) {
        seen.learn(arrived);
        window.onConfirmed(request, waiting.hasForWriter());
        retire(request);
        actions.deliveries().add(new ClientActions.Delivery(request, arrived, null, true));
    }

    /** Ends a request that the application wants no answer to. */
    public ClientActions abort(Request request, DaedalusException failure, long nowNs) {
        ClientActions actions = new ClientActions();
        if (!request.finished) {
            sendAbort(request, actions);
            finish(request, ClientErrors.abandoned(request, failure), actions);
            placeWaiting(nowNs, actions);
        }
        return actions;
    }

    /**
     * An operation could not be handed to its connection although that is up: nothing of it was sent. With definitions
     * that are not sent the connection's handles are lost, so that this one, and those behind it that relied on them,
     * must go whole.
     */
    public ClientActions onSendRefused(Request request, boolean tooLarge, long nowNs) {
        ClientActions actions = new ClientActions();
        DaedalusException failure = ClientErrors.sendRefused(tooLarge);
        LivePeers.Peer peer = peers.get(request.peerId);
        if (peer != null && request.defines) {
            peer.handles.giveUp();
        }
        if (peer != null && request.definition != null && peer.handles.hasGivenUp()) {
            takeBack(request);
            waiting.addUntil(nowNs, request);
        } else if (tooLarge) {
            finish(request, request.wasLost() ? ClientErrors.afterALoss(failure) : failure, actions);
        } else if (!request.finished) {
            onError(request, failure, nowNs, actions);
        }
        return actions;
    }

    public ClientActions onTick(long nowNs) {
        ClientActions actions = new ClientActions();
        while (!deadlines.isEmpty() && deadlines.first().deadlineNs <= nowNs) {
            Request request = deadlines.first();
            sendAbort(request, actions);
            finish(request, ClientErrors.expired(request), actions);
        }
        while (waiting.hasRepeatBy(nowNs)) {
            place(waiting.takeRepeat(), nowNs, actions);
        }
        placeWaiting(nowNs, actions);
        return actions;
    }

    /** The client is closed: every request ends, and so does every one that is submitted later. */
    public ClientActions close() {
        ClientActions actions = new ClientActions();
        closed = true;
        for (Request request : deadlines.inOrder()) {
            finish(request, ClientErrors.closed(request), actions);
        }
        return actions;
    }

    /**
     * Gives the request to the next aggregator with room, lets it wait for one, or fails it when none can be reached.
     */
    private void place(Request request, long nowNs, ClientActions actions) {
        request.peerId = 0;
        LivePeers.Peer peer = peers.nextFor(request);
        if (peer != null && window.holdsBack(request)) {
            waiting.addForWriter(request);
        } else if (peer != null) {
            peers.onGiven(peer);
            window.onSending(request);
            actions.sends().add(peer.send(request, stamp, seen.timestamp(), nowNs));
        } else if (peers.next() != null) {
            finish(request, ClientErrors.noMoments(), actions);
        } else if (peers.isEmpty() && dials.haveAllFailed() && !request.mayHaveTakenEffect()) {
            finish(request, dials.failure(), actions);
        } else {
            waiting.addForAggregator(request);
        }
    }

    private void placeWaiting(long nowNs, ClientActions actions) {
        while (waiting.hasForAggregator() && peers.next() != null) {
            place(waiting.takeForAggregator(), nowNs, actions);
        }
        while (waiting.hasForWriter() && window.hasRoom() && peers.next() != null) {
            place(waiting.takeForWriter(), nowNs, actions);
        }
    }

    /** Sends again at once what the writer would take if it were made now. */
    private void onRefused(Request request, WriteRefused refused, long nowNs, ClientActions actions) {
        boolean isStale = refused.getReason() == WriteRefusal.WRITE_REFUSAL_STALE_SUBMISSION;
        if (isStale) {
            stamp = SubmissionStamp.of(refused);
        }
        if (isStale && !request.lostEver && request.staleRefusals++ < STALE_REFUSALS_MAX) {
            takeBack(request);
            place(request, nowNs, actions);
        } else {
            onError(request, ClientErrors.refused(refused), nowNs, actions);
        }
    }

    /** Ends the request, or lets it come back later when nothing happened but a refusal for now. */
    private void onError(Request request, DaedalusException failure, long nowNs, ClientActions actions) {
        if (ClientErrors.isFull(failure)) {
            window.onFull(request);
        }
        long repeatAtNs = nowNs + Repetition.delayNs(request, failure);
        if (!repeatsRefused || !Repetition.isWorthwhile(request, failure) || repeatAtNs >= request.deadlineNs) {
            finish(request, failure, actions);
            return;
        }
        takeBack(request);
        request.refusals++;
        request.lastRefusal = failure;
        waiting.addUntil(repeatAtNs, request);
    }

    /** Takes back a request of whose sending, which was just refused, nothing came. */
    private void takeBack(Request request) {
        peers.get(request.peerId).release(request);
        request.peerId = 0;
        window.leave(request);
        request.sentEver = request.lostEver;
    }

    private void sendAbort(Request request, ClientActions actions) {
        LivePeers.Peer peer = peers.get(request.peerId);
        if (peer != null && !request.content.mayWrite()) {
            actions.sends().add(peer.abort(request));
        }
    }

    private void finish(Request request, DaedalusException failure, ClientActions actions) {
        if (!request.finished) {
            retire(request);
            actions.deliveries().add(
                    new ClientActions.Delivery(request, null, ClientErrors.ofAll(request, failure), true));
        }
    }

    private void retire(Request request) {
        request.finished = true;
        deadlines.remove(request);
        window.leave(request);
        LivePeers.Peer peer = peers.get(request.peerId);
        if (peer != null) {
            peer.release(request);
        } else {
            waiting.remove(request);
        }
    }
}
