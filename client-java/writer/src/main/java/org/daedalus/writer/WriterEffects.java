package org.daedalus.writer;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * One step of {@link WriterCore} wants these done, in order: sends, records, then outcomes, of which {@link
 * SubmissionDesk} makes answers. {@link WriterCore#onJournaled} tells it of the records, {@link WriterCore#onProbed} of
 * the probe, {@link WriterCore#onDeadline} that {@link #deadlineNs} has come.
 */
final class WriterEffects {
    /** One operation to one aggregator. */
    record Send(long peer, Operation operation) {}

    /**
     * One update to be made durable before anything of it leaves.
     *
     * @param update with body, digest, routes and submission
     */
    record JournalRecord(long epoch, long timestamp, KeptUpdate update) {}

    /**
     * The outcome of one update, to be made durable some time: asked again, the nodes would say the same, as long as
     * the journal does not have a later update.
     *
     * @param outcome encoded
     * @param known where the submission is remembered; null: it is forgotten already
     */
    record OutcomeRecord(long timestamp, SubmissionKey submission, byte[] outcome, KnownSubmissions.Known known) {}

    /** The nodes have granted an epoch: to be made durable before the next update. */
    record EpochRecord(long epoch, long firstEpoch, long base) {}

    /**
     * Says why a submission has no number.
     *
     * @param isStale what it says about when it was first sent is out of date; sent again, it would be taken
     */
    record Refusal(Error error, boolean isStale) {
        static Refusal of(Error error) {
            return new Refusal(error, false);
        }
    }

    /** The outcome of a submission: confirmed, or an error; the other is null. */
    record SubmissionOutcome(SubmissionKey submission, WriteConfirmed confirmed, Error error) {}

    private final List<Send> sends = new ArrayList<>();
    /**
     * The answer to one submission.
     *
     * @param waiter as the driver calls whoever submitted it
     * @param result without a sequence: confirmed, refused, or an error
     */
    record Answer(long waiter, Result result) {}

    private final List<JournalRecord> records = new ArrayList<>();
    private final List<OutcomeRecord> outcomeRecords = new ArrayList<>();
    private final List<SubmissionOutcome> outcomes = new ArrayList<>();
    private EpochRecord epochRecord;
    private final List<Answer> answers = new ArrayList<>();
    private DescribeReply described;
    private String probe;
    private long deadlineNs = Long.MAX_VALUE;

    List<Send> sends() {
        return sends;
    }

    /** Returns the records by timestamp, without gaps. */
    List<JournalRecord> records() {
        return records;
    }

    /** Returns the records of outcomes, which come after the update records of the same step. */
    List<OutcomeRecord> outcomeRecords() {
        return outcomeRecords;
    }

    /**
     * Returns the record of the epoch, which comes before the other records of the same step; null: none was granted.
     */
    EpochRecord epochRecord() {
        return epochRecord;
    }

    void setEpochRecord(EpochRecord granted) {
        epochRecord = granted;
    }

    List<SubmissionOutcome> outcomes() {
        return outcomes;
    }

    List<Answer> answers() {
        return answers;
    }

    /** Schema and map, for the checks before numbering; null: nothing new. */
    DescribeReply described() {
        return described;
    }

    /** Find out whether a writer answers there, then call {@link WriterCore#onProbed}; null: nothing to do. */
    String probe() {
        return probe;
    }

    /** Returns when the core wants to be called if nothing happens before. */
    long deadlineNs() {
        return deadlineNs;
    }

    void setDeadlineNs(long valueNs) {
        deadlineNs = valueNs;
    }

    void setDescribed(DescribeReply reply) {
        described = reply;
    }

    void setProbe(String endpoint) {
        probe = endpoint;
    }
}
