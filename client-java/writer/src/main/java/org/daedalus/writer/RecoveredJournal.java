package org.daedalus.writer;

import java.util.List;
import org.daedalus.wire.v1.Error;

/**
 * A journal's knowledge of the time before this process, with which the core begins.
 *
 * @param isUsed a writer has numbered under it; otherwise all that follows is zero or empty
 * @param adopts where it is not used, numbering may begin behind what the nodes have accepted from others
 * @param firstEpoch the first epoch that it was used under; since then nobody else has numbered
 * @param base what the nodes had accepted at that time
 * @param lastNumbered the last update in it, or {@code base}
 * @param updates those that some node may lack or whose outcome is not known, up to {@code lastNumbered} without gaps
 * @param submissions whose updates are in it, by timestamp; all after {@code forgottenThrough}
 * @param forgottenThrough of earlier submissions nothing is known; 0: there are none
 */
record RecoveredJournal(
        boolean isUsed,
        boolean adopts,
        long firstEpoch,
        long base,
        long lastNumbered,
        List<Update> updates,
        List<KnownSubmissions.Recovered> submissions,
        long forgottenThrough) {

    /** One update under its number. */
    record Update(long timestamp, KeptUpdate update) {}

    /** No journal at all: what the writer knows dies with it, and it begins wherever the nodes are. */
    static final RecoveredJournal NONE = unused(true);

    /**
     * Stands, like NONE, for no journal, for somebody who knows what is lost with the writer where nodes keep their
     * rows.
     */
    static final RecoveredJournal RENOUNCED = unused(true);

    static RecoveredJournal unused(boolean adopts) {
        return new RecoveredJournal(false, adopts, 0, 0, 0, List.of(), List.of(), 0);
    }

    /** Returns the first update that can still be sent. */
    long keptFrom() {
        return updates.isEmpty() ? lastNumbered + 1 : updates.get(0).timestamp();
    }

    /**
     * Returns null, or why there is too little of a journal for nodes of that durability: those that keep their rows
     * come back with what had reached only some of them, which a journal completes.
     */
    Error refusal(String durability) {
        boolean keepsRows = !durability.isEmpty() && !durability.equals("off");
        return this != NONE || !keepsRows ? null : Errors.rejected(Errors.NOT_IN_STATE, "the storage nodes keep their "
                + "rows on disk (durability " + durability + "), and this writer has no journal: updates that had "
                + "reached only some of them could not be completed after its end",
                "give it a journal (--journal-dir)");
    }
}
