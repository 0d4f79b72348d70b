package org.daedalus.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.daedalus.client.DaedalusException.Category;
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
 * <p>Pure: knows no sockets, threads and clocks. Requests take live aggregators in turn. A lost connection repeats a
 * query only
 * if nothing of its answer had arrived, and an update under its submission id until its deadline; an update that was
 * ever sent
 * and has no answer ends UNKNOWN. Every request ends exactly once. The number of requests is bounded by the caller.
 */
final class ClientCore {
    private static final class PeerState {
        private long nextSequence = 1;
        private final Map<Long, Request> inFlight = new LinkedHashMap<>();
    }

    /**
     * Null while an endpoint is being dialled for the first time or after a loss; otherwise why the last dial failed.
     */
    private final Map<String, String> dialFailures = new LinkedHashMap<>();
    private final TreeMap<Long, PeerState> peers = new TreeMap<>();
    private final Deque<Request> waiting = new ArrayDeque<>();
    private final TreeSet<Request> deadlines = new TreeSet<>(
            Comparator.<Request>comparingLong(request -> request.deadlineNs).thenComparingLong(request -> request.id));
    private long nextRequestId = 1;
    private long lastPeerId;

    ClientCore(List<String> endpoints) {
        endpoints.forEach(endpoint -> dialFailures.put(endpoint, null));
    }

    /** When {@link #onTick} has something to do. */
    long nextDeadlineNs() {
        return deadlines.isEmpty() ? Long.MAX_VALUE : deadlines.first().deadlineNs;
    }

    ClientActions submit(Request request, long nowNs) {
        ClientActions actions = new ClientActions();
        request.id = nextRequestId++;
        deadlines.add(request);
        if (request.deadlineNs <= nowNs) {
            expire(request, actions);
        } else {
            place(request, nowNs, actions);
        }
        return actions;
    }

    ClientActions onUp(String endpoint, long peerId, long nowNs) {
        ClientActions actions = new ClientActions();
        dialFailures.put(endpoint, null);
        peers.put(peerId, new PeerState());
        for (int count = waiting.size(); count > 0; count--) {
            place(waiting.remove(), nowNs, actions);
        }
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
            if (request.answered) {
                finish(request, new DaedalusException(Category.RETRY, "08006",
                        "the connection to " + endpoint + " was lost in the middle of the answer: " + reason), actions);
            } else {
                place(request, nowNs, actions);
            }
        }
        return actions;
    }

    ClientActions onDialFailed(String endpoint, String reason) {
        ClientActions actions = new ClientActions();
        dialFailures.put(endpoint, reason);
        if (peers.isEmpty() && allDialsFailed()) {
            for (int count = waiting.size(); count > 0; count--) {
                Request request = waiting.remove();
                if (request.content.mayWrite() && request.sentEver) {
                    waiting.add(request);
                } else {
                    finish(request, unreachable(), actions);
                }
            }
        }
        return actions;
    }

    ClientActions onResult(long peerId, Result result) {
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
            case ERROR -> finish(request, DaedalusException.of(result.getError()), actions);
            case REFUSED -> finish(request, refused(result.getRefused()), actions);
            case END, CONFIRMED, DESCRIBED, STATUS, EPOCH -> {
                retire(request);
                actions.deliveries().add(new ClientActions.Delivery(request, result, null, true));
            }
            default -> finish(request, new DaedalusException(Category.FATAL, "08P01",
                    "the aggregator's answer is of an unknown kind"), actions);
        }
        return actions;
    }

    /** The application wants no answer any more; the failure is delivered unless the request has ended. */
    ClientActions abort(Request request, DaedalusException failure) {
        ClientActions actions = new ClientActions();
        if (!request.finished) {
            sendAbort(request, actions);
            finish(request, failure, actions);
        }
        return actions;
    }

    /** An operation could not be handed to its connection although that is up. */
    ClientActions onSendRefused(Request request, boolean tooLarge) {
        ClientActions actions = new ClientActions();
        if (!request.finished) {
            finish(request, tooLarge
                    ? new DaedalusException(Category.REJECTED, "54000", "the request exceeds the largest frame")
                    : new DaedalusException(Category.RETRY, "53300", "too much waits to be sent to the aggregator"),
                    actions);
        }
        return actions;
    }

    ClientActions onTick(long nowNs) {
        ClientActions actions = new ClientActions();
        while (!deadlines.isEmpty() && deadlines.first().deadlineNs <= nowNs) {
            Request request = deadlines.first();
            sendAbort(request, actions);
            expire(request, actions);
        }
        return actions;
    }

    /** The client is closed: every request ends. */
    ClientActions close() {
        ClientActions actions = new ClientActions();
        for (Request request : new ArrayList<>(deadlines)) {
            finish(request, request.content.mayWrite() && request.sentEver
                    ? new DaedalusException(Category.UNKNOWN, "08006", "the client was closed before the answer came")
                    : new DaedalusException(Category.RETRY, "08006", "the client was closed"), actions);
        }
        return actions;
    }

    /** Gives the request to the next live aggregator, lets it wait for one, or fails it when none can be reached. */
    private void place(Request request, long nowNs, ClientActions actions) {
        request.peerId = 0;
        Map.Entry<Long, PeerState> peer = peers.higherEntry(lastPeerId);
        peer = peer == null ? peers.firstEntry() : peer;
        if (peer != null) {
            lastPeerId = peer.getKey();
            request.peerId = peer.getKey();
            request.sequence = peer.getValue().nextSequence++;
            request.sentEver = true;
            peer.getValue().inFlight.put(request.sequence, request);
            actions.sends().add(new ClientActions.Send(request.peerId, request.operation(nowNs), request));
        } else if (allDialsFailed() && !(request.content.mayWrite() && request.sentEver)) {
            finish(request, unreachable(), actions);
        } else {
            waiting.add(request);
        }
    }

    private boolean allDialsFailed() {
        return dialFailures.values().stream().allMatch(reason -> reason != null);
    }

    private DaedalusException unreachable() {
        List<String> reasons = new ArrayList<>();
        dialFailures.forEach((endpoint, reason) -> reasons.add(endpoint + ": " + reason));
        return new DaedalusException(
                Category.RETRY, "08001", "no aggregator is reachable: " + String.join("; ", reasons));
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

    private void expire(Request request, ClientActions actions) {
        finish(request, request.content.mayWrite() && request.sentEver
                ? new DaedalusException(Category.UNKNOWN, "57014", "no answer within the deadline: it may take effect")
                : new DaedalusException(Category.RETRY, "57014", "no answer within the deadline"), actions);
    }

    private static DaedalusException refused(WriteRefused refused) {
        if (refused.getReason() == WriteRefusal.WRITE_REFUSAL_REJECTED || refused.hasError()) {
            return DaedalusException.of(refused.getError());
        }
        return switch (refused.getReason()) {
            case WRITE_REFUSAL_OVERLOADED, WRITE_REFUSAL_STALE_MAP -> DaedalusException.of(
                    org.daedalus.wire.v1.Error.newBuilder()
                            .setCategory(org.daedalus.wire.v1.ErrorCategory.ERROR_CATEGORY_RETRY)
                            .setSqlstate("53000")
                            .setMessage("the update was refused for now: " + refused.getReason())
                            .setRetryAfterNs(refused.getRetryAfterNs())
                            .build());
            case WRITE_REFUSAL_UNREACHABLE -> new DaedalusException(Category.UNKNOWN, "08006",
                    "node " + refused.getNode() + " cannot be reached: the update may take effect");
            default -> new DaedalusException(Category.FATAL, "XX000", "the update was refused: " + refused.getReason());
        };
    }

    private void finish(Request request, DaedalusException failure, ClientActions actions) {
        if (!request.finished) {
            retire(request);
            actions.deliveries().add(new ClientActions.Delivery(request, null, failure, true));
        }
    }

    private void retire(Request request) {
        request.finished = true;
        deadlines.remove(request);
        PeerState state = peers.get(request.peerId);
        if (state != null) {
            state.inFlight.remove(request.sequence);
        } else {
            waiting.remove(request);
        }
    }
}
