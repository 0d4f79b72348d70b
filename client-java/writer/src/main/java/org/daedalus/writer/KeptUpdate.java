package org.daedalus.writer;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.daedalus.wire.Placement;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.Route;

/** An update that has its number and that some node may still lack. */
final class KeptUpdate {
    /** One operation that carried it. */
    record Carrier(long peer, long sequence) {}

    /**
     * Answers to the last so many sendings are taken. An aggregator answers within 30 s and an update is sent once a
     * second, so that none is missed.
     */
    private static final int CARRIERS_MAX = 64;

    final ByteString body;
    final long digest;
    final SubmissionKey submission;
    /**
     * Everything up to here was confirmed when this update got its number. It is what its sendings say, as the journal
     * has those outcomes before it: a node that forgets them by its word takes nothing from a writer that comes back.
     */
    long confirmedThrough;
    long via;
    boolean sent;
    /** The update was sent last at this time. */
    long sentNs;
    /** The last sending has been confirmed or refused, and nothing is to be expected of it any more. */
    boolean answered;
    boolean confirmed;
    /** A header with routes and map version alone, encoded: routes as objects take many times their bytes. */
    final ByteString header;
    private final Deque<Carrier> carriers = new ArrayDeque<>();

    /** Keeps {@code body}, which must not be a part of anything larger. */
    KeptUpdate(ByteString body, List<Route> routes, long mapVersion, SubmissionKey submission) {
        this(body, OperationHeader.newBuilder().setMapVersion(mapVersion).addAllRoutes(routes).build().toByteString(),
                submission);
    }

    /** Makes an update with a header that {@link #header} of another one has encoded. */
    KeptUpdate(ByteString body, ByteString header, SubmissionKey submission) {
        this.body = body;
        this.digest = Placement.digest(body.toByteArray());
        this.submission = submission;
        this.header = header;
    }

    /** Returns the bytes that are kept as long as it is. */
    long bytes() {
        return (long) body.size() + header.size();
    }

    /** Returns the header of an operation that carries it, to be completed. */
    OperationHeader.Builder header() {
        try {
            return OperationHeader.newBuilder().mergeFrom(header);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a header that was encoded here does not parse", e);
        }
    }

    Iterable<Carrier> carriers() {
        return carriers;
    }

    /** Expects nothing more of {@code carrier}. */
    void onAnswer(Carrier carrier) {
        answered |= carrier.equals(carriers.peekLast());
    }

    /** Whatever comes of earlier sendings is not waited for. */
    void forgetSendings() {
        carriers.clear();
        sent = false;
        answered = true;
    }

    /** It is sent now. Returns the carrier whose answer is not waited for any longer; null: none. */
    Carrier onSending(Carrier carrier, long nowNs) {
        via = carrier.peer();
        sent = true;
        sentNs = nowNs;
        answered = false;
        carriers.add(carrier);
        return carriers.size() > CARRIERS_MAX ? carriers.remove() : null;
    }
}
