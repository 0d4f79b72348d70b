package org.daedalus.writer;

import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.WriterStatus;

/** Words for those who watch the writer what it keeps and what it waits for. */
final class WriterReport {
    private final WriterOptions options;
    private final LiveAggregators aggregators;
    private final EpochRaise raise;
    private final NumberedUpdates updates;
    private final Watermarks watermarks;
    private final KnownSubmissions known;

    WriterReport(WriterOptions options, LiveAggregators aggregators, EpochRaise raise, NumberedUpdates updates,
            Watermarks watermarks, KnownSubmissions known) {
        this.options = options;
        this.aggregators = aggregators;
        this.raise = raise;
        this.updates = updates;
        this.watermarks = watermarks;
        this.known = known;
    }

    /**
     * Describes the writer.
     *
     * @param failure why the phase is FAILED
     * @param mapRefusal what the last aggregator said that has another map; null: none has
     */
    WriterStatus.Builder status(WriterCore.Phase phase, JournalState journal, Error failure, Error mapRefusal) {
        return WriterStatus.newBuilder()
                .setName(options.name())
                .setProblem(problem(phase, journal, failure, mapRefusal))
                .setEpoch(updates.epoch())
                .setLastNumbered(updates.lastNumbered())
                .setConfirmedThrough(updates.confirmedThrough())
                .setSettledThrough(phase == WriterCore.Phase.ACTIVE ? watermarks.lowest() : 0)
                .setUpdatesKept(updates.count())
                .setUpdatesKeptMax(options.updatesKeptMax())
                .setUpdateBytesKept(updates.bytes())
                .setUpdateBytesKeptMax(options.bytesKeptMax())
                .setSubmissionsKnown(known.count())
                .setSubmissionsKnownMax(options.submissionsKnownMax())
                .setSubmissionBytesKnown(known.bytes())
                .setSubmissionBytesKnownMax(options.submissionBytesMax())
                .setForgottenThrough(known.forgottenThrough())
                .setJournalBytes(journal.bytes())
                .setJournalBytesMax(journal.bytesMax())
                .setJournaledThrough(journal.bytesMax() == 0 ? 0 : updates.journaledThrough());
    }

    private String problem(WriterCore.Phase phase, JournalState journal, Error failure, Error mapRefusal) {
        return switch (phase) {
            case ACTIVE -> activeProblem(journal, mapRefusal);
            case FAILED -> failure.getMessage();
            case PROBING -> raise.problem().getMessage();
            case RAISING -> raise.lastRefusal() == null
                    ? phase.toString() : "the epoch is not raised yet: " + raise.lastRefusal().getMessage();
            default -> phase.toString();
        };
    }

    private String activeProblem(JournalState journal, Error mapRefusal) {
        if (journal.problem() != null) {
            return journal.problem().getMessage();
        }
        return aggregators.isEmpty() && mapRefusal != null
                ? "no aggregator has the map of the updates: " + mapRefusal.getMessage() : "";
    }
}
