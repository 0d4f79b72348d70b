package org.daedalus.writer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.Error;
import org.daedalus.writer.journal.DiskFullException;
import org.daedalus.writer.journal.JournalFolder;
import org.daedalus.writer.journal.JournalHeader;
import org.daedalus.writer.journal.JournalLog;
import org.daedalus.writer.journal.JournalReader;

/**
 * The writer's journal: carries the core's records out, and removes files that nobody needs.
 *
 * <p>Decides when a file goes: when all its updates are settled, and what it has of submissions that are remembered has
 * been written once more. All methods but {@link #open} and {@link #close} belong to one thread; the listener is called
 * on another.
 */
final class WriterJournal implements AutoCloseable {
    /** Hears what becomes of what was appended. Called on the journal's thread. */
    interface Listener {
        void onJournaled(long through);

        void onProblem(IOException problem);

        void onLost(String reason);
    }

    private final JournalFolder folder;
    private final long bytesMax;
    private final RecoveredJournal recovered;
    private final long journalId;
    private final WriterOptions options;
    private final Language language;
    private final JournalLog log;
    private volatile JournalHeader.Identity identity;
    private volatile JournalRecords.Epoch epoch;
    private long settled;
    private boolean hasEvaluated;
    private int confirmedSince;
    private Error problem;

    private WriterJournal(JournalFolder folder, long newId, long bytesMax, boolean adopts, WriterOptions options,
            Language language, JournalLog.Options logOptions, Listener listener) throws IOException {
        this.folder = folder;
        this.bytesMax = bytesMax;
        this.options = options;
        this.language = language;
        JournalRecovery recovery = new JournalRecovery(options, language);
        List<JournalReader.FoundFile> files = JournalReader.read(folder, recovery);
        this.recovered = recovery.result(adopts);
        this.epoch = recovery.epoch();
        this.settled = recovery.settled();
        this.identity = recovery.header() == null ? null : recovery.header().identity();
        this.journalId = recovery.header() == null ? newId : recovery.header().journal();
        this.log = new JournalLog(folder, logOptions, files, recovery.lastNumbered(), this::header,
                new JournalLog.Listener() {
                    @Override
                    public void onForced(long position, long timestamp) {
                        listener.onJournaled(timestamp);
                    }

                    @Override
                    public void onProblem(IOException problem) {
                        listener.onProblem(problem);
                    }

                    @Override
                    public void onLost(String reason) {
                        listener.onLost(reason);
                    }
                });
    }

    /** Reads what is there; {@code newId} is the name of a journal that is new, to be drawn at random. */
    static WriterJournal open(JournalFolder folder, long newId, JournalOptions journal, WriterOptions options,
            Listener listener) throws IOException {
        JournalLog.Options usual = JournalLog.Options.DEFAULT;
        return open(folder, newId, journal.bytesMax(), journal.adopts(), options, new JournalLog.Options(
                Math.min(usual.fileBytes(), journal.bytesMax() / JournalOptions.FILES), usual.pauseMs(),
                usual.idleMs()), listener);
    }

    static WriterJournal open(JournalFolder folder, long newId, long bytesMax, boolean adopts, WriterOptions options,
            JournalLog.Options logOptions, Listener listener) throws IOException {
        return open(folder, newId, bytesMax, adopts, options, FunctionTable.get().language(), logOptions, listener);
    }

    static WriterJournal open(JournalFolder folder, long newId, long bytesMax, boolean adopts, WriterOptions options,
            Language language, JournalLog.Options logOptions, Listener listener) throws IOException {
        WriterJournal journal =
                new WriterJournal(folder, newId, bytesMax, adopts, options, language, logOptions, listener);
        journal.log.start();
        return journal;
    }

    RecoveredJournal recovered() {
        return recovered;
    }

    /** Describes the journal for the log at start. */
    String describe() {
        return folder.describe("") + (recovered.isUsed()
                ? ": the last update is " + recovered.lastNumbered() + ", the last epoch " + epoch.epoch() + " of "
                        + epoch.holder() + "; " + recovered.updates().size() + " are not settled"
                : ": it is new");
    }

    /**
     * Returns null, or why this cluster's updates have no place in the journal. To be called before anything is
     * appended.
     */
    Error belongsTo(String clusterId, String schemaFingerprint) {
        JournalHeader.Identity other = new JournalHeader.Identity(clusterId, schemaFingerprint);
        if (identity == null) {
            identity = other;
        }
        return identity.equals(other) ? null : Errors.rejected(Errors.NOT_IN_STATE, "the journal " + folder.describe("")
                + " is of cluster '" + identity.clusterId() + "' with schema " + identity.schemaFingerprint()
                + ", the aggregators are of cluster '" + clusterId + "' with schema " + schemaFingerprint,
                "give the writer the journal of this cluster, or an empty folder");
    }

    private JournalHeader header(long file, long firstPosition, long firstTimestamp) {
        JournalRecords.Epoch last = epoch;
        return new JournalHeader(journalId, file, firstPosition, firstTimestamp, last.epoch(), last.firstEpoch(),
                last.base(), last.holder(), identity, language.hash());
    }

    // ---- appending ----

    /** Appends what a step of the core wants to be made durable. */
    void append(WriterEffects effects, long settledThrough) {
        settled = Math.max(settled, settledThrough);
        if (effects.epochRecord() != null) {
            WriterEffects.EpochRecord granted = effects.epochRecord();
            JournalRecords.Epoch record = new JournalRecords.Epoch(granted.epoch(), granted.firstEpoch(),
                    granted.base(), options.name());
            JournalRecords.append(log, record, epoch.epoch() == 0);
            epoch = record;
        }
        for (WriterEffects.JournalRecord record : effects.records()) {
            JournalRecords.append(log, record);
        }
        for (WriterEffects.OutcomeRecord record : effects.outcomeRecords()) {
            append(record);
        }
        confirmedSince += effects.outcomeRecords().size();
    }

    private void append(WriterEffects.OutcomeRecord record) {
        long position = JournalRecords.append(log, record, settled);
        if (record.known() != null) {
            record.known().position = position;
        }
    }

    // ---- what is not needed any more ----

    /** Removes the oldest file if that is worth its while, and nobody needs it. */
    void clean(KnownSubmissions known) {
        JournalLog.FullFile oldest = log.oldest();
        if (oldest == null || oldest.lastTimestamp() > settled) {
            return;
        }
        boolean isLarge = 2 * log.bytes() >= bytesMax;
        if (!isLarge && hasEvaluated && confirmedSince < options.submissionsKnownMax() / JournalOptions.FILES) {
            return;
        }
        hasEvaluated = true;
        confirmedSince = 0;
        List<WriterEffects.OutcomeRecord> needed =
                new ArrayList<>(known.keptBetween(oldest.firstPosition(), oldest.endPosition()));
        long neededBytes = needed.stream().mapToLong(each -> JournalRecords.size(each)).sum();
        if (2 * neededBytes > oldest.size() && !isLarge) {
            return; // Most of it would only be written once more.
        }
        needed.forEach(this::append);
        JournalRecords.appendSettled(log, settled);
        log.deleteOldest(oldest, log.endPosition());
        hasEvaluated = false;
    }

    JournalState state() {
        return new JournalState(log.bytes(), bytesMax, problem);
    }

    /** Takes over what the listener was told; null: all is well again. */
    void onProblem(IOException reason) {
        if (reason == null) {
            problem = null;
        } else if (reason instanceof DiskFullException) {
            problem = Errors.retry(Errors.DISK_FULL, "there is no room for the journal: " + reason.getMessage(),
                    "make room on that file system");
        } else {
            problem = Errors.retry(Errors.IO_ERROR, "the journal cannot be written: " + reason.getMessage(),
                    "see to the disk");
        }
    }

    Error lost(String reason) {
        return Errors.fatal(Errors.IO_ERROR, "the journal " + folder.describe("") + " cannot be written: " + reason,
                "see to the disk, then start the writer again with the same journal");
    }

    @Override
    public void close() {
        log.close();
    }
}
