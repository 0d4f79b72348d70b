package org.daedalus.writer;

/** What is said to a submission that the writer can neither number nor answer from memory. */
final class SubmissionRefusals {
    private SubmissionRefusals() {}

    /** It was sent before, and nobody can know what became of that. */
    static WriterEffects.Refusal unknowable(Submission submission, String why) {
        return WriterEffects.Refusal.of(Errors.unknown(Errors.OUTCOME_UNKNOWN, "the submission was sent before, in "
                + describe(submission) + ", and may have taken effect; " + why, "look at the rows to find out"));
    }

    /** Sent again with what is true now, it would be taken. */
    static WriterEffects.Refusal stale(Submission submission, String memory) {
        return new WriterEffects.Refusal(Errors.retry(Errors.NOT_IN_STATE, "the submission was made in "
                + describe(submission) + "; " + memory, "send it again with the epoch and timestamp of this answer"),
                true);
    }

    private static String describe(Submission submission) {
        return "epoch " + Long.toUnsignedString(submission.epoch()) + " after update "
                + Long.toUnsignedString(submission.numberedAfter());
    }
}
