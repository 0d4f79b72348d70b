package org.daedalus.client;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.daedalus.client.ClientErrors.DialFailure;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
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
final class ClientCore {
    /** What an aggregator takes from one connection before it refuses. */
    static final int PEER_IN_FLIGHT_MAX = 4_096;

    private static final long REPEAT_AFTER_MIN_NS = 10_000_000L;
    private static final long REPEAT_AFTER_MAX_NS = 1_000_000_000L;
    private static final int REPEAT_DOUBLINGS_MAX = 10;
    /** A writer that has taken more than half of what it remembers within one round trip is asked this often. */
    private static final int STALE_REFUSALS_MAX = 8;

    private static final class PeerState {
        private long nextSequence = 1;
        private final Map<Long, Request> inFlight = new LinkedHashMap<>();

        boolean hasRoom() {
            return inFlight.size() < PEER_IN_FLIGHT_MAX;
        }
    }

    private final boolean repeatsRefused;
    private final ClusterBinding binding;
    /**
     * Null while an endpoint is being dialled for the first time or after a loss; otherwise how the last dial failed.
     */
    private final Map<String, DialFailure> dialFailures = new LinkedHashMap<>();
    private final TreeMap<Long, PeerState> peers = new TreeMap<>();
    /** In the order in which they are to be sent: for an aggregator with room. */
    private final Set<Request> waiting = new LinkedHashSet<>();
    /** Updates that wait for room at the writer, oldest first; queries pass them by. */
    private final TreeSet<Request> waitingUpdates = new TreeSet<>(Comparator.comparingLong(request -> request.id));
    private final UpdateWindow window = new UpdateWindow();
    private final TreeSet<Request> repeats = new TreeSet<>(Comparator
            .<Request>comparingLong(request -> request.repeatAtNs).thenComparingLong(request -> request.id));
    private final TreeSet<Request> deadlines = new TreeSet<>(Comparator
            .<Request>comparingLong(request -> request.deadlineNs).thenComparingLong(request -> request.id));
    private SubmissionStamp stamp = SubmissionStamp.NONE;
    private long nextRequestId = 1;
    private long lastPeerId;
    private boolean closed;

    /**
     * Makes a core that knows no peer yet.
     *
     * @param repeatsRefused ask again what was refused because something was full, instead of reporting it
     * @param clusterId of the only cluster to connect to; empty: any
     */
    ClientCore(List<String> endpoints, boolean repeatsRefused, String clusterId) {
        this.repeatsRefused = repeatsRefused;
        this.binding = new ClusterBinding(clusterId);
        endpoints.forEach(endpoint -> dialFailures.put(endpoint, null));
    }

    /** When {@link #onTick} has something to do. */
    long nextDeadlineNs() {
        long nextNs = deadlines.isEmpty() ? Long.MAX_VALUE : deadlines.first().deadlineNs;
        return repeats.isEmpty() ? nextNs : Math.min(nextNs, repeats.first().repeatAtNs);
    }

    /** Whether a request that is submitted now is sent or refused at once, and need not wait for a first connection. */
    boolean isDecided() {
        return !peers.isEmpty() || allDialsFailed();
    }

    /** The cluster of the last connection that was made; {@link ClusterIdentity#NONE} before the first. */
    ClusterIdentity cluster() {
        return binding.current();
    }

    /** What a connection that is made now has to be to; empty names leave it open. */
    ClusterIdentity expectedCluster() {
        return binding.expected(!peers.isEmpty());
    }

    /** What is known of the writer. */
    SubmissionStamp stamp() {
        return stamp;
    }

    ClientActions submit(Request request, long nowNs) {
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
    ClientActions onUp(String endpoint, long peerId, Hello hello, long nowNs) {
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
        peers.put(peerId, new PeerState());
        placeWaiting(nowNs, actions);
        return actions;
    }

    ClientActions onDown(String endpoint, long peerId, String reason, long nowNs) {
        ClientActions actions = new ClientActions();
        dialFailures.put(endpoint, null);
        PeerState state = peers.remove(peerId);
        if (state == null) {
            return actions;
        }
        for (Request request : state.inFlight.values()) {
            leaveWindow(request);
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
    ClientActions onDialFailed(String endpoint, String reason, boolean isForeign) {
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
        for (Request request : List.copyOf(deadlines)) {
            DaedalusException failure = ClientErrors.clusterReplaced(request, change);
            if (failure != null) {
                finish(request, failure, actions);
            }
        }
    }

    ClientActions onResult(long peerId, Result result, long nowNs) {
        ClientActions actions = new ClientActions();
        PeerState state = peers.get(peerId);
        Request request = state == null ? null : state.inFlight.get(result.getSequence());
        if (request == null) {
            return actions; // Late: the deadline or an abort answered.
        }
        switch (result.getKindCase()) {
            case ROWS -> {
                request.answered = true;
                actions.deliveries().add(new ClientActions.Delivery(request, result, null, false));
            }
            case ERROR -> onError(request, DaedalusException.of(result.getError()), nowNs, actions);
            case REFUSED -> onRefused(request, result.getRefused(), nowNs, actions);
            case END, CONFIRMED, DESCRIBED, STATUS, EPOCH -> {
                learn(result);
                if (request.updateSending != 0) {
                    window.grow(!waitingUpdates.isEmpty());
                }
                retire(request);
                actions.deliveries().add(new ClientActions.Delivery(request, result, null, true));
            }
            default -> finish(request, ClientErrors.unknownKind(), actions);
        }
        placeWaiting(nowNs, actions);
        return actions;
    }

    private void learn(Result result) {
        if (result.hasDescribed()) {
            stamp = stamp.after(result.getDescribed());
        } else if (result.hasConfirmed()) {
            stamp = stamp.after(result.getConfirmed());
        }
    }

    /** The application wants no answer any more; the failure is delivered unless the request has ended. */
    ClientActions abort(Request request, DaedalusException failure, long nowNs) {
        ClientActions actions = new ClientActions();
        if (!request.finished) {
            sendAbort(request, actions);
            finish(request, ClientErrors.abandoned(request, failure), actions);
            placeWaiting(nowNs, actions);
        }
        return actions;
    }

    /** An operation could not be handed to its connection although that is up: nothing of it was sent. */
    ClientActions onSendRefused(Request request, boolean tooLarge, long nowNs) {
        ClientActions actions = new ClientActions();
        DaedalusException failure = ClientErrors.sendRefused(tooLarge);
        if (tooLarge) {
            finish(request, wasLost(request) ? ClientErrors.afterALoss(failure) : failure, actions);
        } else if (!request.finished) {
            onError(request, failure, nowNs, actions);
        }
        return actions;
    }

    ClientActions onTick(long nowNs) {
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
    ClientActions close() {
        ClientActions actions = new ClientActions();
        closed = true;
        for (Request request : new ArrayList<>(deadlines)) {
            finish(request, ClientErrors.closed(request), actions);
        }
        return actions;
    }

    /**
     * Gives the request to the next aggregator with room, lets it wait for one, or fails it when none can be reached.
     */
    private void place(Request request, long nowNs, ClientActions actions) {
        request.peerId = 0;
        Map.Entry<Long, PeerState> peer = nextPeer();
        if (peer != null && isHeldBack(request)) {
            waitingUpdates.add(request);
        } else if (peer != null) {
            lastPeerId = peer.getKey();
            request.peerId = peer.getKey();
            request.sequence = peer.getValue().nextSequence++;
            request.onSending(stamp);
            if (request.content.mayWrite() && repeatsRefused) {
                request.updateSending = window.send();
            }
            peer.getValue().inFlight.put(request.sequence, request);
            actions.sends().add(new ClientActions.Send(request.peerId, request.operation(nowNs), request));
        } else if (peers.isEmpty() && allDialsFailed() && !request.mayHaveTakenEffect()) {
            finish(request, ClientErrors.unreachable(dialFailures), actions);
        } else {
            waiting.add(request);
        }
    }

    private void placeWaiting(long nowNs, ClientActions actions) {
        while (!waiting.isEmpty() && nextPeer() != null) {
            Request request = waiting.iterator().next();
            waiting.remove(request);
            place(request, nowNs, actions);
        }
        while (!waitingUpdates.isEmpty() && window.hasRoom() && nextPeer() != null) {
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

    /** The one after the last one that was given something, of those with room; null: there is none. */
    private Map.Entry<Long, PeerState> nextPeer() {
        Map.Entry<Long, PeerState> peer = peers.higherEntry(lastPeerId);
        for (int tried = 0; tried < peers.size(); tried++) {
            peer = peer == null ? peers.firstEntry() : peer;
            if (peer.getValue().hasRoom()) {
                return peer;
            }
            peer = peers.higherEntry(peer.getKey());
        }
        return null;
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
        if (request.updateSending != 0 && isFull(failure)) {
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
        request.repeatAtNs = repeatAtNs;
        repeats.add(request);
    }

    /** Nothing came of the sending that was just refused. */
    private void takeBack(Request request) {
        peers.get(request.peerId).inFlight.remove(request.sequence);
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
                && (isFull(failure) || failure.sqlState().equals("57P01")
                        || (request.lostEver && failure.sqlState().equals("57P03")));
    }

    private static boolean isFull(DaedalusException failure) {
        return failure.category() == Category.RETRY && failure.sqlState().startsWith("53");
    }

    private void sendAbort(Request request, ClientActions actions) {
        PeerState state = peers.get(request.peerId);
        if (state != null && !request.content.mayWrite()) {
            OperationHeader header = OperationHeader.newBuilder().setSequence(state.nextSequence++)
                    .setKind(OperationKind.OPERATION_KIND_ABORT).setAbortSequence(request.sequence).build();
            actions.sends().add(new ClientActions.Send(
                    request.peerId, Operation.newBuilder().setHeader(header).build(), null));
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
        PeerState state = peers.get(request.peerId);
        if (state != null) {
            state.inFlight.remove(request.sequence);
        } else {
            waiting.remove(request);
            waitingUpdates.remove(request);
            repeats.remove(request);
        }
    }
}
