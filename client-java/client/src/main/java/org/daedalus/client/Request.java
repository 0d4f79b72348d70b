package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;

/** One request on its way through {@link ClientCore}, from submission to its last result. */
final class Request {
    /** Takes what comes back. Called on the network's thread; must not block or throw. */
    interface Responder {
        /** A result of the request; the last one is followed by nothing. */
        void onResult(Result result);

        /** The end without an answer; what came before is void. */
        void onFailure(DaedalusException failure);
    }

    /**
     * What is asked.
     *
     * @param mayWrite it can change rows: repeated under its submission id, and unknown rather than failed
     * @param prefixMin the answer includes every update up to here
     */
    record Content(OperationKind kind, ByteString body, boolean mayWrite, List<Route> routes, long mapVersion,
            long prefixMin, int priority, String requestId, String principal) {
        static Content of(OperationKind kind, ByteString body, boolean mayWrite) {
            return new Content(kind, body, mayWrite, List.of(), 0, 0, 0, "", "");
        }
    }

    final Content content;
    final Responder responder;
    final long deadlineNs;

    // What follows belongs to ClientCore.
    long id;
    long peerId;
    long sequence;
    /** It may be at, or have been at, a peer that has not said that nothing happened. */
    boolean sentEver;
    /** It was at a peer whose connection was lost. */
    boolean lostEver;
    boolean answered;
    boolean finished;
    int refusals;
    long repeatAtNs;

    Request(Content content, Responder responder, long deadlineNs) {
        this.content = content;
        this.responder = responder;
        this.deadlineNs = deadlineNs;
    }

    /** Whether calling it failed would be a lie. */
    boolean mayHaveTakenEffect() {
        return content.mayWrite && sentEver;
    }

    Operation operation(long nowNs) {
        OperationHeader header = OperationHeader.newBuilder()
                .setSequence(sequence)
                .setKind(content.kind)
                .setMapVersion(content.mapVersion)
                .addAllRoutes(content.routes)
                .setRemainingNs(Math.max(1, deadlineNs - nowNs))
                .setPriority(content.priority)
                .setPrefixMin(content.prefixMin)
                .setRequestId(content.requestId)
                .setPrincipal(content.principal)
                .build();
        return Operation.newBuilder().setHeader(header).setBody(content.body).build();
    }
}
