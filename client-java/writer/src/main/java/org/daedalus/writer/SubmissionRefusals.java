package org.daedalus.writer;

import java.util.Map;
import org.daedalus.wire.v1.Error;

/** Words the answers to submissions that the writer can neither number nor answer from memory. */
final class SubmissionRefusals {
    private SubmissionRefusals() {}

    /** Refuses while the epoch is being raised; {@code why} may be null. */
    static WriterEffects.Refusal notYet(Error why) {
        return WriterEffects.Refusal.of(Errors.retry(Errors.CANNOT_CONNECT_NOW,
                "the writer has not raised its epoch on all nodes yet" + (why == null ? "" : ": " + why.getMessage()),
                "try again"));
    }

    /** Refuses after the writer has failed. */
    static WriterEffects.Refusal failed(Submission submission, Error failure) {
        return submission.repeated()
                ? unknowable(submission, failure.getMessage()) : WriterEffects.Refusal.of(failure);
    }

    /** Refuses a submission that may have been taken by another writer, or by this one before it forgot. */
    static WriterEffects.Refusal unknown(Submission submission, long epoch, long forgottenThrough) {
        String memory = "the writer is in epoch " + epoch + " and knows what was submitted after update "
                + forgottenThrough;
        return submission.repeated() ? unknowable(submission, memory) : stale(submission, memory);
    }

    /** Refuses while the nodes are too far behind. */
    static WriterEffects.Refusal noRoom(NumberedUpdates updates, Watermarks watermarks) {
        Map.Entry<Integer, Long> slowest = watermarks.slowest();
        return WriterEffects.Refusal.of(Errors.retry(Errors.LIMIT_EXCEEDED, updates.count()
                + " updates wait for node " + slowest.getKey() + ", which has reached " + slowest.getValue() + " of "
                + updates.lastNumbered(), "try again later, or see to that node"));
    }

    /** Refuses while the journal takes nothing; null: it takes updates. */
    static WriterEffects.Refusal ofJournal(JournalState journal, NumberedUpdates updates, Watermarks watermarks) {
        if (journal.problem() != null) {
            return WriterEffects.Refusal.of(journal.problem());
        }
        return journal.isFull() ? noRoomInJournal(journal, updates, watermarks) : null;
    }

    private static WriterEffects.Refusal noRoomInJournal(JournalState journal, NumberedUpdates updates,
            Watermarks watermarks) {
        Map.Entry<Integer, Long> slowest = watermarks.slowest();
        return WriterEffects.Refusal.of(Errors.retry(Errors.DISK_FULL, "the journal has its " + journal.bytesMax()
                + " bytes; its updates wait for node " + slowest.getKey() + ", which has made durable "
                + slowest.getValue() + " of " + updates.lastNumbered(), "try again later, or see to that node"));
    }

    /** Says that it was sent before, and that nobody can know what became of that. */
    private static WriterEffects.Refusal unknowable(Submission submission, String why) {
        return WriterEffects.Refusal.of(Errors.unknown(Errors.OUTCOME_UNKNOWN, "the submission was sent before, in "
                + describe(submission) + ", and may have taken effect; " + why, "look at the rows to find out"));
    }

    /** Says that it would be taken if it were sent again with what is true now. */
    private static WriterEffects.Refusal stale(Submission submission, String memory) {
        return new WriterEffects.Refusal(Errors.retry(Errors.NOT_IN_STATE, "the submission was made in "
                + describe(submission) + "; " + memory, "send it again with the epoch and timestamp of this answer"),
                true);
    }

    private static String describe(Submission submission) {
        return "epoch " + Long.toUnsignedString(submission.epoch()) + " after update "
                + Long.toUnsignedString(submission.numberedAfter());
    }
}
