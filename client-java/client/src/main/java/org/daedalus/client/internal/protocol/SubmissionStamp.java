package org.daedalus.client.internal.protocol;

import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefused;

/**
 * A client's knowledge of the writer: an update that it submits for the first time now cannot have had an effect before
 * (docs/protocol.md, "Submissions").
 *
 * @param epoch the writer's; 0: unknown
 * @param numberedAfter updates up to here have numbers
 */
record SubmissionStamp(long epoch, long numberedAfter) {
    static final SubmissionStamp NONE = new SubmissionStamp(0, 0);

    static SubmissionStamp of(SubmissionId submission) {
        return new SubmissionStamp(submission.getEpoch(), submission.getNumberedAfter());
    }

    /** Makes the stamp that the writer itself has said. */
    static SubmissionStamp of(WriteRefused stale) {
        return new SubmissionStamp(stale.getEpoch(), stale.getTimestamp());
    }

    /** Returns what is known after an aggregator's result, which tells more where it describes or confirms. */
    SubmissionStamp after(Result result) {
        return result.hasDescribed() ? after(result.getDescribed())
                : result.hasConfirmed() ? after(result.getConfirmed()) : this;
    }

    /** Learns from an aggregator that describes the cluster, which may be behind another one that did so before. */
    private SubmissionStamp after(DescribeReply described) {
        return Long.compareUnsigned(described.getEpoch(), epoch) < 0
                ? this : new SubmissionStamp(described.getEpoch(), later(described.getConfirmed()));
    }

    private SubmissionStamp after(WriteConfirmed confirmed) {
        return new SubmissionStamp(epoch, later(confirmed.getTimestamp()));
    }

    private long later(long timestamp) {
        return Long.compareUnsigned(timestamp, numberedAfter) > 0 ? timestamp : numberedAfter;
    }
}
