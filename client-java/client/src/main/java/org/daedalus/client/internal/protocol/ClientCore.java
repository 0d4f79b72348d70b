package org.daedalus.client.internal.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.answers.ColumnsCache;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.client.internal.protocol.ClientErrors.DialFailure;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;

/**
 * Which aggregator gets which request, and what becomes of requests when connections, answers and deadlines come and
 * go.
 *
 * <p>Pure: knows no sockets, threads and clocks. Requests take live aggregators in turn, each up to {@link
 * #PEER_IN_FLIGHT_MAX}; beyond, they wait for an answer to make room. A lost connection repeats a query only if nothing
 * of its answer had arrived, and an update under its submission id until its deadline. An update ends RETRY only if
 * every sending of it was answered by a refusal, and UNKNOWN once a sending has no answer. What is refused because
 * something was full is asked again, later and later, and updates no faster than the writer takes them ({@link
 * UpdateWindow}). Every request ends exactly once. The number of requests is bounded by the caller.
 */
public final class ClientCore {
    /** What an aggregator takes from one connection before it refuses. */
    static final int PEER_IN_FLIGHT_MAX = 4_096;

    private static final long REPEAT_AFTER_MIN_NS = 10_000_000L;
    private static final long REPEAT_AFTER_MAX_NS = 1_000_000_000L;
    private static final int REPEAT_DOUBLINGS_MAX = 10;
    /** A writer that has taken more than half of what it remembers within one round trip is asked this often. */
    private static final int STALE_REFUSALS_MAX = 8;

    private final boolean repeatsRefused;
    private final ClusterBinding binding;
    /**
     * Null while an endpoint is being dialled for the first time or after a loss; otherwise how the last dial failed.
     */
    private final Map<String, DialFailure> dialFailures = new LinkedHashMap<>();
    private final LivePeers peers = new LivePeers();
    /** In the order in which they are to be sent: for an aggregator with room. */
    private final Set<Request> waiting = new LinkedHashSet<>();
    /** Updates that wait for room at the writer, oldest first; queries pass them by. */
    private final TreeSet<Request> waitingUpdates = new TreeSet<>(Comparator.comparingLong(request -> request.id));
    private final UpdateWindow window = new UpdateWindow();
    private final ColumnsCache columns = new ColumnsCache();
    private final TreeSet<Request> repeats = new TreeSet<>(Comparator
            .<Request>comparingLong(request -> request.repeatAtNs).thenComparingLong(request -> request.id));
    private final DeadlineHeap deadlines = new DeadlineHeap();
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
        endpoints.forEach(endpoint -> dialFailures.put(endpoint, null));
    }

    /** When {@link #onTick} has something to do. */
    public long nextDeadlineNs() {
        long nextNs = deadlines.isEmpty() ? Long.MAX_VALUE : deadlines.first().deadlineNs;
        return repeats.isEmpty() ? nextNs : Math.min(nextNs, repeats.first().repeatAtNs);
    }

    /** Whether a request that is submitted now is sent or refused at once, and need not wait for a first connection. */
    public boolean isDecided() {
        return !peers.isEmpty() || allDialsFailed();
    }

    /** The cluster of the last connection that was made; {@link ClusterIdentity#NONE} before the first. */
    public ClusterIdentity cluster() {
        return binding.current();
    }

    /** What a connection that is made now has to be to; empty names leave it open. */
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
        dialFailures.put(endpoint, null);
        String change = binding.bind(hello);
        if (change != null) {
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
        dialFailures.put(endpoint, null);
        LivePeers.Peer peer = peers.remove(peerId);
        if (peer == null) {
            return actions;
        }
        for (Request request : peer.inFlight.inOrder()) {
            leaveWindow(request);
            request.definition = null;
            if (request.answered) {
                finish(request, ClientErrors.lostInTheMiddle(endpoint, reason), actions);
            } else {
                request.lostEver = true;
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
        dialFailures.put(endpoint, new DialFailure(reason, isForeign));
        if (peers.isEmpty() && allDialsFailed()) {
            List<Request> unplaced = new ArrayList<>(waiting);
            unplaced.addAll(waitingUpdates);
            for (Request request : unplaced) {
                if (!request.mayHaveTakenEffect()) {
                    finish(request, ClientErrors.unreachable(dialFailures), actions);
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

    /** As {@link #onResult(long, ArrivedResult, long)}, of a message. */
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
     * Rows, which may be the only ones that ever have the columns of their shape, even when they are late.
     *
     * @param peer null: it is gone
     * @param request null: it is over, by its deadline or an abort
     */
    private void onRows(LivePeers.Peer peer, Request request, ArrivedResult arrived, long nowNs,
            ClientActions actions) {
        try {
            if (request == null) {
                learnColumns(peer, arrived);
                return;
            }
            if (!request.answered) {
                request.setColumns(columnsOf(peer, request, arrived));
                request.answered = true;
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

    private ResultColumns columnsOf(LivePeers.Peer peer, Request request, ArrivedResult first) throws WireException {
        long shape = first.shapeSequence();
        if (shape != 0 && (request.definition == null || request.definition.sequence != shape)) {
            throw new WireException("the answer is of shape " + shape + ", which its statement is not");
        }
        if (shape == 0) {
            return columns.of(first.columns());
        }
        learnColumns(peer, first);
        if (request.definition.columns() == null) {
            throw new WireException("the answer has no columns, and no answer of its shape had before");
        }
        return request.definition.columns();
    }

    private void learnColumns(LivePeers.Peer peer, ArrivedResult rows) throws WireException {
        if (peer != null && rows.shapeSequence() != 0 && rows.columns().length > 0) {
            peer.slots.learn(rows.shapeSequence(), columns.of(rows.columns()));
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
                learn(result);
                deliverLast(request, arrived, actions);
            }
            default -> finish(request, ClientErrors.unknownKind(), actions);
        }
    }

    private void deliverLast(Request request, ArrivedResult arrived, ClientActions actions) {
        if (request.updateSending != 0) {
            window.grow(!waitingUpdates.isEmpty());
        }
        retire(request);
        actions.deliveries().add(new ClientActions.Delivery(request, arrived, null, true));
    }

    private void learn(Result result) {
        if (result.hasDescribed()) {
            stamp = stamp.after(result.getDescribed());
        } else if (result.hasConfirmed()) {
            stamp = stamp.after(result.getConfirmed());
        }
    }

    /** The application wants no answer any more; the failure is delivered unless the request has ended. */
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
     * that are not sent the connection's slots are lost, so that this one, and those behind it that relied on them,
     * must go whole.
     */
    public ClientActions onSendRefused(Request request, boolean tooLarge, long nowNs) {
        ClientActions actions = new ClientActions();
        DaedalusException failure = ClientErrors.sendRefused(tooLarge);
        LivePeers.Peer peer = peers.get(request.peerId);
        if (peer != null && request.defines) {
            peer.slots.giveUp();
        }
        if (peer != null && request.definition != null && peer.slots.hasGivenUp()) {
            takeBack(request);
            repeatAt(nowNs, request);
        } else if (tooLarge) {
            finish(request, wasLost(request) ? ClientErrors.afterALoss(failure) : failure, actions);
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
        while (!repeats.isEmpty() && repeats.first().repeatAtNs <= nowNs) {
            place(repeats.pollFirst(), nowNs, actions);
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
        LivePeers.Peer peer = peers.next();
        if (peer != null && isHeldBack(request)) {
            waitingUpdates.add(request);
        } else if (peer != null) {
            send(request, peer, nowNs, actions);
        } else if (peers.isEmpty() && allDialsFailed() && !request.mayHaveTakenEffect()) {
            finish(request, ClientErrors.unreachable(dialFailures), actions);
        } else {
            waiting.add(request);
        }
    }

    private void send(Request request, LivePeers.Peer peer, long nowNs, ClientActions actions) {
        peers.onGiven(peer);
        OperationBytes definition = chooseSlot(request, peer);
        request.peerId = peer.id;
        request.sequence = peer.takeSequence();
        request.onSending(stamp);
        if (request.content.mayWrite() && repeatsRefused) {
            request.updateSending = window.send();
        }
        peer.inFlight.put(request);
        actions.sends().add(new ClientActions.Send(peer.id, request, peer.slots, definition,
                OperationBytes.of(request, nowNs)));
    }

    /** What has to be sent before the request, so that its statement is in the slot that it names; null: nothing. */
    private static OperationBytes chooseSlot(Request request, LivePeers.Peer peer) {
        StatementText text = request.content.statement();
        request.definition = request.content.mayTravelBySlot() ? peer.slots.use(text) : null;
        request.defines = request.definition != null && request.definition.markSent();
        return request.defines ? OperationBytes.define(request.definition, text) : null;
    }

    private void placeWaiting(long nowNs, ClientActions actions) {
        while (!waiting.isEmpty() && peers.next() != null) {
            Request request = waiting.iterator().next();
            waiting.remove(request);
            place(request, nowNs, actions);
        }
        while (!waitingUpdates.isEmpty() && window.hasRoom() && peers.next() != null) {
            place(waitingUpdates.pollFirst(), nowNs, actions);
        }
    }

    /** Who wants to hear of refusals gets them from the writer; a repetition must find out what became of the first. */
    private boolean isHeldBack(Request request) {
        return request.content.mayWrite() && repeatsRefused && !request.mayHaveTakenEffect() && !window.hasRoom();
    }

    private void leaveWindow(Request request) {
        if (request.updateSending != 0) {
            request.updateSending = 0;
            window.leave();
        }
    }

    private boolean allDialsFailed() {
        return dialFailures.values().stream().allMatch(failure -> failure != null);
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
        if (request.updateSending != 0 && ClientErrors.isFull(failure)) {
            window.shrink(request.updateSending);
        }
        long doublings = Math.min(request.refusals, REPEAT_DOUBLINGS_MAX);
        long hintNs = Math.max(REPEAT_AFTER_MIN_NS, failure.retryAfter().toNanos());
        long repeatAtNs = nowNs + Math.min(REPEAT_AFTER_MAX_NS, hintNs << doublings);
        if (!repeatsRefused || !isWorthRepeating(request, failure) || request.answered
                || repeatAtNs >= request.deadlineNs) {
            finish(request, failure, actions);
            return;
        }
        takeBack(request);
        request.refusals++;
        request.lastRefusal = failure;
        repeatAt(repeatAtNs, request);
    }

    private void repeatAt(long repeatAtNs, Request request) {
        request.repeatAtNs = repeatAtNs;
        repeats.add(request);
    }

    /** Nothing came of the sending that was just refused. */
    private void takeBack(Request request) {
        peers.get(request.peerId).release(request);
        request.peerId = 0;
        leaveWindow(request);
        request.sentEver = request.lostEver;
    }

    /**
     * RETRY because something is full (SQLSTATE class 53) or because the aggregator shuts down: nothing happened. What
     * may have taken effect before also waits for the writer to come back, since only that can tell.
     */
    private static boolean isWorthRepeating(Request request, DaedalusException failure) {
        return failure.category() == Category.RETRY
                && (ClientErrors.isFull(failure) || failure.sqlState().equals("57P01")
                        || (request.lostEver && failure.sqlState().equals("57P03")));
    }

    private void sendAbort(Request request, ClientActions actions) {
        LivePeers.Peer peer = peers.get(request.peerId);
        if (peer != null && !request.content.mayWrite()) {
            actions.sends().add(new ClientActions.Send(peer.id, null, peer.slots, null,
                    OperationBytes.abort(peer.takeSequence(), request.sequence)));
        }
    }

    private void finish(Request request, DaedalusException failure, ClientActions actions) {
        if (!request.finished) {
            retire(request);
            // What the cluster finds wrong with the update itself, it found wrong with every sending.
            boolean isAboutThisSending = wasLost(request) && failure.category() != Category.REJECTED;
            actions.deliveries().add(new ClientActions.Delivery(request, null,
                    isAboutThisSending ? ClientErrors.afterALoss(failure) : failure, true));
        }
    }

    /** An earlier sending of this update has no answer. */
    private static boolean wasLost(Request request) {
        return request.lostEver && request.content.mayWrite();
    }

    private void retire(Request request) {
        request.finished = true;
        deadlines.remove(request);
        leaveWindow(request);
        LivePeers.Peer peer = peers.get(request.peerId);
        if (peer != null) {
            peer.release(request);
        } else {
            waiting.remove(request);
            waitingUpdates.remove(request);
            repeats.remove(request);
        }
    }
}
