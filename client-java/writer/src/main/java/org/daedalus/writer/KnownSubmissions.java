package org.daedalus.writer;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * The last submissions and their outcomes, so that a repeated one is answered and not applied again. Bounded in count
 * and in bytes; forgets the oldest first, and remembers how far it has forgotten.
 */
final class KnownSubmissions {
    /**
     * What one submission costs beside its outcome: key, entry and place in the table. 65,536 of them took 110 bytes of
     * heap each.
     */
    static final int ENTRY_BYTES = 128;

    /** One submission. */
    static final class Known {
        final long timestamp;
        /** Encoded: objects would take several times the room. Null until it is confirmed. */
        private byte[] outcome;

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

    /** Null when it is not known, or not any more. */
    Known find(SubmissionKey submission) {
        return byKey.get(submission);
    }

    int count() {
        return byKey.size();
    }

    long bytes() {
        return bytes;
    }

    /** The timestamp of the last submission that was forgotten; 0: none was. */
    long forgottenThrough() {
        return forgottenThrough;
    }

    /**
     * Whether a submission that is not known here is new, because this writer has taken all that its sender can have
     * sent under its name and would remember it. A first sending must know of the younger half of what is remembered,
     * so that there is time to repeat it.
     *
     * @param epoch the writer's
     */
    boolean isNew(Submission submission, long epoch, long lastNumbered) {
        long remembered = lastNumbered - forgottenThrough;
        long since = submission.repeated() || forgottenThrough == 0
                ? forgottenThrough : forgottenThrough + remembered / 2;
        return submission.epoch() == epoch
                && submission.numberedAfter() >= since && submission.numberedAfter() <= lastNumbered;
    }

    /** Timestamps rise from call to call. */
    void add(SubmissionKey submission, long timestamp) {
        Known known = new Known(timestamp);
        byKey.put(submission, known);
        bytes += known.bytes();
        forgetOldest();
    }

    /** Ignored when the submission has been forgotten. */
    void confirm(SubmissionKey submission, WriteConfirmed confirmed) {
        Known known = byKey.get(submission);
        if (known != null) {
            bytes -= known.bytes();
            known.outcome = confirmed.toByteArray();
            bytes += known.bytes();
            forgetOldest();
        }
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
