package org.daedalus.writer;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * The last submissions and their outcomes, so that a repeated one is answered and not applied again. Bounded in count
 * and in bytes; forgets the oldest first, and remembers how far it has forgotten.
 */
final class KnownSubmissions {
    /**
     * One submission costs so much beside its outcome: key, entry and place in the table. 65,536 of them took 110 bytes
     * of heap each.
     */
    static final int ENTRY_BYTES = 128;

    /**
     * One submission as a journal knows it.
     *
     * @param outcome encoded; null: none is known yet
     * @param position of the outcome in the journal
     */
    record Recovered(SubmissionKey key, long timestamp, byte[] outcome, long position) {
        long bytes() {
            return ENTRY_BYTES + (outcome == null ? 0 : outcome.length);
        }
    }

    /** One submission. */
    static final class Known {
        final long timestamp;
        /** Encoded: objects would take several times the room. Null until it is confirmed. */
        private byte[] outcome;
        /** The journal has the outcome here. */
        long position;

        private Known(long timestamp) {
            this.timestamp = timestamp;
        }

        boolean isConfirmed() {
            return outcome != null;
        }

        /** Precondition: it is confirmed. */
        WriteConfirmed confirmed() {
            try {
                return WriteConfirmed.parseFrom(outcome);
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException("an outcome that was encoded here does not parse", e);
            }
        }

        private long bytes() {
            return ENTRY_BYTES + (outcome == null ? 0 : outcome.length);
        }
    }

    private final Map<SubmissionKey, Known> byKey = new LinkedHashMap<>();
    private final int countMax;
    private final long bytesMax;
    private long bytes;
    private long forgottenThrough;

    KnownSubmissions(int countMax, long bytesMax) {
        this.countMax = countMax;
        this.bytesMax = bytesMax;
    }

    /** Returns what is known of the submission; null when it is not known, or not any more. */
    Known find(SubmissionKey submission) {
        return byKey.get(submission);
    }

    int count() {
        return byKey.size();
    }

    long bytes() {
        return bytes;
    }

    /** Returns the timestamp of the last submission that was forgotten; 0: none was. */
    long forgottenThrough() {
        return forgottenThrough;
    }

    /**
     * Says whether a submission that is not known here is new, because this writer has taken all that its sender can
     * have sent under its name and would remember it. A first sending must know of the younger half of what is
     * remembered, so that there is time to repeat it.
     *
     * @param firstEpoch since then nobody has numbered whose submissions were not known here
     * @param epoch the writer's
     */
    boolean isNew(Submission submission, long firstEpoch, long epoch, long lastNumbered) {
        long since = submission.repeated() ? forgottenThrough : youngerHalf(lastNumbered);
        return submission.epoch() >= firstEpoch && submission.epoch() <= epoch
                && submission.numberedAfter() >= since && submission.numberedAfter() <= lastNumbered;
    }

    /** Returns the least that a first sending must know of. */
    long youngerHalf(long lastNumbered) {
        return forgottenThrough == 0 ? 0 : forgottenThrough + (lastNumbered - forgottenThrough) / 2;
    }

    /** Timestamps rise from call to call. */
    void add(SubmissionKey submission, long timestamp) {
        Known known = new Known(timestamp);
        byKey.put(submission, known);
        bytes += known.bytes();
        forgetOldest();
    }

    /** Takes over what a journal remembers; to be called once, before anything else. */
    void restore(RecoveredJournal journal) {
        forgottenThrough = journal.forgottenThrough();
        for (Recovered each : journal.submissions()) {
            Known known = new Known(each.timestamp());
            known.outcome = each.outcome();
            known.position = each.position();
            byKey.put(each.key(), known);
            bytes += known.bytes();
        }
        forgetOldest();
    }

    /** Returns what a journal is to keep of it. Nothing else happens when the submission has been forgotten. */
    WriterEffects.OutcomeRecord confirm(long timestamp, SubmissionKey submission, WriteConfirmed confirmed) {
        byte[] outcome = confirmed.toByteArray();
        Known known = byKey.get(submission);
        if (known != null) {
            bytes -= known.bytes();
            known.outcome = outcome;
            bytes += known.bytes();
            forgetOldest();
        }
        return new WriterEffects.OutcomeRecord(timestamp, submission, outcome, known);
    }

    /** Returns the outcomes that the journal has from one position up to another. */
    List<WriterEffects.OutcomeRecord> keptBetween(long from, long to) {
        List<WriterEffects.OutcomeRecord> found = new ArrayList<>();
        byKey.forEach((key, known) -> {
            if (known.outcome != null && known.position >= from && known.position < to) {
                found.add(new WriterEffects.OutcomeRecord(known.timestamp, key, known.outcome, known));
            }
        });
        return found;
    }

    private void forgetOldest() {
        Iterator<Known> oldest = byKey.values().iterator();
        while (byKey.size() > countMax || (bytes > bytesMax && byKey.size() > 1)) {
            Known forgotten = oldest.next();
            forgottenThrough = forgotten.timestamp;
            bytes -= forgotten.bytes();
            oldest.remove();
        }
    }
}
