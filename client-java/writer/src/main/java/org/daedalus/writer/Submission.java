package org.daedalus.writer;

import org.daedalus.wire.v1.SubmissionId;

/**
 * A submission's name, and what its sender says about when it can have taken effect (docs/protocol.md, "Submissions").
 *
 * @param epoch in no lower epoch; 0: the sender knew none
 * @param numberedAfter under no timestamp up to this
 * @param repeated it was sent before, and nobody has said that nothing came of it
 */
record Submission(SubmissionKey key, long epoch, long numberedAfter, boolean repeated) {
    /** Reads the name of a submission; returns null when it has none. */
    static Submission of(SubmissionId id) {
        SubmissionKey key = SubmissionKey.of(id);
        return key == null ? null : new Submission(key, id.getEpoch(), id.getNumberedAfter(), id.getRepeated());
    }
}
