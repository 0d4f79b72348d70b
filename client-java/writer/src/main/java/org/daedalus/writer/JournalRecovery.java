package org.daedalus.writer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.daedalus.writer.journal.JournalException;
import org.daedalus.writer.journal.JournalHeader;
import org.daedalus.writer.journal.JournalReader;

/**
 * Collects from a journal's records, read in order, the updates that some node may lack and the submissions that can be
 * repeated. Keeps no more than a writer does.
 */
final class JournalRecovery implements JournalReader.Visitor {
    private static final String OTHER_JOURNAL = "give the writer the whole journal: all its files, as they were";

    private final WriterOptions options;
    private final Language own;
    private final TreeMap<Long, KeptUpdate> updates = new TreeMap<>();
    private final TreeMap<Long, KnownSubmissions.Recovered> submissions = new TreeMap<>();
    private long submissionBytes;
    private JournalHeader header;
    private JournalRecords.Epoch epoch = new JournalRecords.Epoch(0, 0, 0, "");
    private long lastNumbered;
    private long settled;

    JournalRecovery(WriterOptions options, Language own) {
        this.options = options;
        this.own = own;
    }

    /** Returns the last file's header; null: there is none. */
    JournalHeader header() {
        return header;
    }

    JournalRecords.Epoch epoch() {
        return epoch;
    }

    long settled() {
        return settled;
    }

    long lastNumbered() {
        return lastNumbered;
    }

    @Override
    public void onFile(JournalHeader begun) throws JournalException {
        if (header == null) {
            lastNumbered = Math.max(begun.firstTimestamp() - 1, begun.base());
        } else if (begun.firstTimestamp() != lastNumbered + 1) {
            throw new JournalException("file " + begun.file() + " of the journal begins with update "
                    + begun.firstTimestamp() + ", but " + lastNumbered + " is the last one before it", OTHER_JOURNAL);
        }
        checkLanguage(begun.language());
        header = begun;
        epoch = new JournalRecords.Epoch(begun.epoch(), begun.firstEpoch(), begun.base(), begun.holder());
        settle(begun.base());
    }

    @Override
    public void onRecord(long position, int kind, ByteBuffer payload) throws JournalException {
        switch (kind) {
            case JournalRecords.EPOCH -> onEpoch(JournalRecords.epoch(payload));
            case JournalRecords.UPDATE -> onUpdate(JournalRecords.update(payload));
            case JournalRecords.OUTCOME -> onOutcome(position, JournalRecords.outcome(payload));
            case JournalRecords.SETTLED -> settle(payload.getLong());
            default -> throw new IllegalArgumentException("kind " + kind);
        }
    }

    private void checkLanguage(long hash) throws JournalException {
        if (own.versionOf(hash).isEmpty()) {
            throw new JournalException("the journal is in language " + Long.toHexString(hash) + ", which this build "
                    + "does not have: a newer build, or one with other functions, has written it",
                    "start the build that wrote it, or a newer one");
        }
    }

    private void onEpoch(JournalRecords.Epoch record) {
        epoch = record;
        lastNumbered = Math.max(lastNumbered, record.base());
        settle(record.base());
    }

    private void onUpdate(JournalRecords.Update record) {
        if (record.timestamp() != lastNumbered + 1) {
            throw new IllegalArgumentException("update " + record.timestamp() + " after " + lastNumbered);
        }
        lastNumbered = record.timestamp();
        updates.put(lastNumbered, record.update());
        remember(new KnownSubmissions.Recovered(record.update().submission, lastNumbered, null, 0));
    }

    private void onOutcome(long position, JournalRecords.Outcome record) {
        KeptUpdate update = updates.get(record.timestamp());
        if (update != null) {
            update.confirmed = true;
        }
        remember(new KnownSubmissions.Recovered(record.key(), record.timestamp(), record.outcome(), position));
        settle(record.settled());
    }

    private void remember(KnownSubmissions.Recovered submission) {
        KnownSubmissions.Recovered before = submissions.put(submission.timestamp(), submission);
        submissionBytes += submission.bytes() - (before == null ? 0 : before.bytes());
        while (submissions.size() > options.submissionsKnownMax()
                || (submissionBytes > options.submissionBytesMax() && submissions.size() > 1)) {
            submissionBytes -= submissions.pollFirstEntry().getValue().bytes();
        }
    }

    private void settle(long through) {
        settled = Math.max(settled, through);
        updates.headMap(settled, true).clear();
    }

    /** Returns all that was recovered. */
    RecoveredJournal result(boolean adopts) throws JournalException {
        if (epoch.epoch() == 0) {
            return RecoveredJournal.unused(adopts);
        }
        List<RecoveredJournal.Update> kept = new ArrayList<>();
        updates.forEach((timestamp, update) -> kept.add(new RecoveredJournal.Update(timestamp, update)));
        long firstKept = kept.isEmpty() ? lastNumbered + 1 : kept.get(0).timestamp();
        if (firstKept != settled + 1) {
            throw new JournalException("the journal begins with update " + firstKept
                    + ", but some node may lack update " + (settled + 1), OTHER_JOURNAL);
        }
        long forgottenThrough = lastNumbered;
        for (Map.Entry<Long, KnownSubmissions.Recovered> each : submissions.descendingMap().entrySet()) {
            if (each.getKey() != forgottenThrough) {
                break;
            }
            forgottenThrough--;
        }
        List<KnownSubmissions.Recovered> known =
                List.copyOf(submissions.tailMap(forgottenThrough, false).values());
        return new RecoveredJournal(true, adopts, epoch.firstEpoch(), epoch.base(), lastNumbered, kept, known,
                forgottenThrough == epoch.base() ? 0 : forgottenThrough);
    }
}
