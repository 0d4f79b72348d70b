package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;

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
     * @param body without the submission, which is not the same at every sending
     * @param submission under which what can change rows is repeated; null: it only reads
     * @param prefixMin the answer includes every update up to here
     */
    record Content(OperationKind kind, ByteString body, SubmissionId submission, List<Route> routes, long mapVersion,
            long prefixMin, int priority, String requestId, String principal) {
        static Content of(OperationKind kind, ByteString body, SubmissionId submission) {
            return new Content(kind, body, submission, List.of(), 0, 0, 0, "", "");
        }

        boolean mayWrite() {
            return submission != null;
        }
    }

    final Content content;
    final Responder responder;
    final long deadlineNs;

    // What follows belongs to ClientCore.
    long id;
    long peerId;
    long sequence;
    /** What the client knew when it was first sent, of those sendings that nobody said nothing came of. */
    SubmissionStamp stamp = SubmissionStamp.NONE;
    /** It may be at, or have been at, a peer that has not said that nothing happened. */
    boolean sentEver;
    /** It was at a peer whose connection was lost, or was sent by somebody else before. */
    boolean lostEver;
    boolean answered;
    boolean finished;
    int refusals;
    int staleRefusals;
    long repeatAtNs;
    /** Its place among all sendings of updates; 0: it is not under way, or not counted. */
    long updateSending;

    Request(Content content, Responder responder, long deadlineNs) {
        this.content = content;
        this.responder = responder;
        this.deadlineNs = deadlineNs;
        if (content.mayWrite() && content.submission.getRepeated()) {
            stamp = SubmissionStamp.of(content.submission);
            sentEver = true;
            lostEver = true;
        }
    }

    /** Whether calling it failed would be a lie. */
    boolean mayHaveTakenEffect() {
        return content.mayWrite() && sentEver;
    }

    /** It is about to be sent by a client that knows {@code now}. */
    void onSending(SubmissionStamp now) {
        stamp = lostEver ? stamp : now;
        sentEver = true;
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
        ByteString body = content.mayWrite() ? content.body.concat(named()) : content.body;
        return Operation.newBuilder().setHeader(header).setBody(body).build();
    }

    /** A body with the submission alone; encodings of one message that follow each other are read as one. */
    private ByteString named() {
        SubmissionId submission = content.submission.toBuilder()
                .setEpoch(stamp.epoch()).setNumberedAfter(stamp.numberedAfter()).setRepeated(lostEver).build();
        return content.kind == OperationKind.OPERATION_KIND_STATEMENT
                ? StatementBody.newBuilder().setSubmission(submission).build().toByteString()
                : SubmitBody.newBuilder().setSubmission(submission).build().toByteString();
    }
}
