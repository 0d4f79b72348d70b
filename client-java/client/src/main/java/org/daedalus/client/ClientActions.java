package org.daedalus.client;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;

/** What one step of {@link ClientCore} wants done: first the sends, then the deliveries, each in order. */
final class ClientActions {
    /**
     * One operation to one peer.
     *
     * @param request whose operation it is; null for an abort
     */
    record Send(long peerId, Operation operation, Request request) {}

    /**
     * One event for one request's responder: a result or a failure, the other is null.
     *
     * @param last nothing follows for this request
     */
    record Delivery(Request request, Result result, DaedalusException failure, boolean last) {}

    private final List<Send> sends = new ArrayList<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private String peerRefusal;

    List<Send> sends() {
        return sends;
    }

    List<Delivery> deliveries() {
        return deliveries;
    }

    /** Why the peer that has just been reached must be left; null: it is used. */
    String peerRefusal() {
        return peerRefusal;
    }

    void setPeerRefusal(String why) {
        peerRefusal = why;
    }
}
