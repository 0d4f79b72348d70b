package org.daedalus.client.internal.protocol;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.Features;
import org.daedalus.wire.v1.Hello;

/** The aggregators that are connected, in the order of their ids, and which of them is next. Not thread-safe. */
final class LivePeers {
    /** One connection: what is in flight on it, and what is in its handles. */
    static final class Peer {
        final long id;
        final RequestMap inFlight = new RequestMap();
        final StatementHandles handles;
        final boolean knowsMoments;
        private long nextSequence = 1;

        private Peer(long id, Hello hello) {
            this.id = id;
            this.knowsMoments = Features.knowsMoments(hello);
            this.handles = new StatementHandles(hello, this::takeSequence);
        }

        private long takeSequence() {
            return nextSequence++;
        }

        /**
         * Puts the request in flight here, and returns its operation behind the definition that it needs.
         *
         * @param seen the client has seen the updates up to here
         */
        ClientActions.Send send(Request request, SubmissionStamp stamp, long seen, long nowNs) {
            OperationBytes definition = chooseHandle(request);
            request.peerId = id;
            request.sequence = takeSequence();
            request.onSending(stamp, seen);
            inFlight.put(request);
            return new ClientActions.Send(id, request, handles, definition, OperationBytes.of(request, nowNs));
        }

        /**
         * Returns the HOLD of what {@code body} lists.
         *
         * @param seen a new moment is at least this
         */
        ClientActions.Send hold(ByteString body, long seen, long remainingNs) {
            return new ClientActions.Send(id, null, handles, null,
                    OperationBytes.hold(takeSequence(), body, seen, remainingNs));
        }

        /** Returns the operation that aborts the request. */
        ClientActions.Send abort(Request request) {
            return new ClientActions.Send(id, null, handles, null,
                    OperationBytes.abort(takeSequence(), request.sequence));
        }

        /** Chooses the handle by which the statement travels; returns the definition that must leave first, or null. */
        private OperationBytes chooseHandle(Request request) {
            StatementText text = request.content.statement();
            request.definition = request.content.mayTravelByHandle() ? handles.use(text) : null;
            request.defines = request.definition != null && request.definition.markSent();
            return request.defines ? OperationBytes.define(request.definition, text) : null;
        }

        /** The request is not in flight here any more; no-op when it was not. */
        void release(Request request) {
            inFlight.remove(request);
            if (request.definition != null) {
                handles.onOver(request.definition);
                request.definition = null;
            }
        }

        private boolean hasRoom() {
            return inFlight.size() < ClientCore.PEER_IN_FLIGHT_MAX;
        }
    }

    private final List<Peer> peers = new ArrayList<>();
    private long lastId;

    boolean isEmpty() {
        return peers.isEmpty();
    }

    void add(long id, Hello hello) {
        int place = peers.size();
        while (place > 0 && peers.get(place - 1).id > id) {
            place--;
        }
        peers.add(place, new Peer(id, hello));
    }

    /** Returns the peer; null: it is not there. */
    Peer get(long id) {
        for (int index = 0; index < peers.size(); index++) {
            if (peers.get(index).id == id) {
                return peers.get(index);
            }
        }
        return null;
    }

    /** Returns the one that was there; null: it was not. */
    Peer remove(long id) {
        Peer peer = get(id);
        peers.remove(peer);
        return peer;
    }

    /** Returns the first one that knows moments; null: there is none. */
    Peer firstThatKnowsMoments() {
        return peers.stream().filter(each -> each.knowsMoments).findFirst().orElse(null);
    }

    /** Returns the one after the last one that was given something, of those with room; null: there is none. */
    Peer next() {
        return next(false);
    }

    /** Returns the next one that can take the request; null: there is none. */
    Peer nextFor(Request request) {
        return next(request.content.reads().needsMoments());
    }

    private Peer next(boolean knowsMoments) {
        int count = peers.size();
        int first = 0;
        while (first < count && peers.get(first).id <= lastId) {
            first++;
        }
        for (int tried = 0; tried < count; tried++) {
            Peer peer = peers.get((first + tried) % count);
            if (peer.hasRoom() && (peer.knowsMoments || !knowsMoments)) {
                return peer;
            }
        }
        return null;
    }

    /** {@code peer} was given something. */
    void onGiven(Peer peer) {
        lastId = peer.id;
    }
}
