package org.daedalus.client.internal.protocol;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.client.internal.statements.SqlText;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;

/** One request on its way through {@link ClientCore}, from submission to its last result. */
public final class Request {
    /** Takes what comes back. Called on the network's thread; must not block or throw. */
    public interface Responder {
        /** Takes a result of the request; the last one is followed by nothing. */
        void onResult(ArrivedResult result);

        /** Takes the end without an answer; what came before is void. */
        void onFailure(DaedalusException failure);
    }

    /**
     * The question or the update that is asked for, which never changes.
     *
     * @param statement the text that {@code body} lacks, which may travel in a handle; null: the body has everything
     * @param body without the submission, which is not the same at every sending
     * @param submission under which what can change rows is repeated; null: it only reads
     * @param reads the terms of a query
     */
    public record Content(OperationKind kind, StatementText statement, ByteString body, SubmissionId submission,
            List<Route> routes, long mapVersion, ReadTerms reads, int priority, String requestId, String principal) {
        public static Content of(OperationKind kind, ByteString body, SubmissionId submission) {
            return new Content(kind, null, body, submission, List.of(), 0, ReadTerms.NONE, 0, "", "");
        }

        /**
         * Makes the content of a statement that was put together.
         *
         * @param submission null for a statement that only reads
         */
        public static Content of(SqlText sql, SubmissionId submission) {
            return ofStatement(new StatementText(sql.text()), sql.parameters(), submission);
        }

        public static Content ofStatement(StatementText statement, ByteString body, SubmissionId submission) {
            return new Content(OperationKind.OPERATION_KIND_STATEMENT, statement, body, submission, List.of(), 0,
                    ReadTerms.NONE, 0, "", "");
        }

        /**
         * Says whether the statement is worth a handle: it comes again with other values. Long texts that write are
         * those of many rows, of which no two need be alike.
         */
        boolean mayTravelByHandle() {
            return statement != null && !body.isEmpty()
                    && (submission == null || statement.field().size() <= WRITING_TEXT_SIZE_MAX);
        }

        public boolean mayWrite() {
            return submission != null;
        }

        /** Returns the terms on which it is sent by a client that has seen the updates up to {@code seen}. */
        ReadTerms readsAfter(long seen) {
            boolean isQuery = submission == null && (kind == OperationKind.OPERATION_KIND_STATEMENT
                    || kind == OperationKind.OPERATION_KIND_SELECT);
            return isQuery ? reads.notBefore(seen) : reads;
        }
    }

    /** Statements that may write and are longer travel whole. */
    static final int WRITING_TEXT_SIZE_MAX = 16 << 10;
    static final int NOT_IN_HEAP = -1;

    final Content content;
    final Responder responder;
    final long deadlineNs;

    // ClientCore alone uses the fields below.
    long id;
    long peerId;
    long sequence;
    /** Its statement travels by this at its peer, as long as it is in flight there; null: it travels whole. */
    StatementHandles.Definition definition;
    /** The terms of this sending: its own, and whatever the client had seen by then. */
    ReadTerms reads = ReadTerms.NONE;
    /** Says that this sending brings the definition along. */
    boolean defines;
    /** The columns of the answer; null before rows of it have arrived. */
    private ResultColumns columns;
    /** The {@link DeadlineHeap} keeps here where the request is in it. */
    int heapPlace = NOT_IN_HEAP;
    /** The client knew this when it first sent the request, sendings left out of which nothing came. */
    SubmissionStamp stamp = SubmissionStamp.NONE;
    /** It may be at, or have been at, a peer that has not said that nothing happened. */
    boolean sentEver;
    /** The writer may have numbered it: its connection was lost, or somebody else sent it before. */
    boolean lostEver;
    boolean answered;
    boolean finished;
    int refusals;
    /** It is repeated because of this; null: nobody has refused it. */
    DaedalusException lastRefusal;
    int staleRefusals;
    long repeatAtNs;
    /** Its place among all sendings of updates; 0: it is not under way, or not counted. */
    long updateSending;

    public Request(Content content, Responder responder, long deadlineNs) {
        this.content = content;
        this.responder = responder;
        this.deadlineNs = deadlineNs;
        if (content.mayWrite() && content.submission.getRepeated()) {
            stamp = SubmissionStamp.of(content.submission);
            sentEver = true;
            lostEver = true;
        }
    }

    /** Says whether the request takes a moment to be held. */
    public boolean isHold() {
        return content.kind() == OperationKind.OPERATION_KIND_HOLD;
    }

    /** Says whether the request can change rows. */
    public boolean mayWrite() {
        return content.mayWrite();
    }

    /** Returns the object that takes the request's results. */
    public Responder responder() {
        return responder;
    }

    public void setColumns(ResultColumns ofAnswer) {
        columns = ofAnswer;
    }

    /** Returns the columns of the answer; null before rows of it have arrived. */
    public ResultColumns columns() {
        return columns;
    }

    /** Says whether an earlier sending of the update has no answer. */
    boolean wasLost() {
        return lostEver && content.mayWrite();
    }

    /** Says whether the request must not be called failed, because it may have taken effect. */
    boolean mayHaveTakenEffect() {
        return content.mayWrite() && sentEver;
    }

    /** It is about to be sent by a client that knows {@code now} and has seen the updates up to {@code seen}. */
    void onSending(SubmissionStamp now, long seen) {
        stamp = lostEver ? stamp : now;
        reads = content.readsAfter(seen);
        sentEver = true;
    }

    /**
     * Its connection was lost before an answer came. No writer numbers an update whose sender names no epoch, so
     * nothing came of such a sending.
     */
    void onLost() {
        lostEver |= stamp.epoch() != 0;
        sentEver = lostEver;
    }

    /** Returns a body with the submission alone; encodings of one message that follow each other are read as one. */
    ByteString named() {
        SubmissionId submission = content.submission.toBuilder()
                .setEpoch(stamp.epoch()).setNumberedAfter(stamp.numberedAfter()).setRepeated(lostEver).build();
        return content.kind == OperationKind.OPERATION_KIND_STATEMENT
                ? StatementBody.newBuilder().setSubmission(submission).build().toByteString()
                : SubmitBody.newBuilder().setSubmission(submission).build().toByteString();
    }
}
