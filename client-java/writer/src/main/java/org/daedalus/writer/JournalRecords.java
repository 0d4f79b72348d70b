package org.daedalus.writer;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.daedalus.writer.journal.JournalLog;

/** Writes and reads the journal's records (docs/journal.md). */
final class JournalRecords {
    static final int EPOCH = 1;
    static final int UPDATE = 2;
    static final int OUTCOME = 3;
    static final int SETTLED = 4;

    private static final int KEY_SIZE = 24;
    private static final int EPOCH_FIXED_SIZE = 26;
    private static final int UPDATE_FIXED_SIZE = 28 + KEY_SIZE;
    private static final int OUTCOME_FIXED_SIZE = 16 + KEY_SIZE;

    private JournalRecords() {}

    /** An epoch that all nodes have granted. */
    record Epoch(long epoch, long firstEpoch, long base, String holder) {}

    /** An update with its number. */
    record Update(long epoch, long timestamp, KeptUpdate update) {}

    /** The outcome of an update, and how far all updates were settled then. */
    record Outcome(long timestamp, long settled, SubmissionKey key, byte[] outcome) {}

    // ---- writing ----

    /** {@code isFirst}: it begins the numbering, behind its base. */
    static void append(JournalLog log, Epoch record, boolean isFirst) {
        byte[] holder = record.holder().getBytes(StandardCharsets.UTF_8);
        log.append(EPOCH, isFirst ? record.base() : 0, EPOCH_FIXED_SIZE + holder.length, true,
                bytes -> bytes.putLong(record.epoch()).putLong(record.firstEpoch()).putLong(record.base())
                        .putShort((short) holder.length).put(holder));
    }

    static void append(JournalLog log, WriterEffects.JournalRecord record) {
        KeptUpdate update = record.update();
        int size = UPDATE_FIXED_SIZE + update.header.size() + update.body.size();
        log.append(UPDATE, record.timestamp(), size, true, bytes -> {
            bytes.putLong(record.epoch()).putLong(record.timestamp()).putLong(update.confirmedThrough);
            put(bytes, update.submission);
            bytes.putInt(update.header.size());
            update.header.copyTo(bytes);
            update.body.copyTo(bytes);
        });
    }

    /** Returns its position. */
    static long append(JournalLog log, WriterEffects.OutcomeRecord record, long settled) {
        return log.append(OUTCOME, 0, OUTCOME_FIXED_SIZE + record.outcome().length, false, bytes -> {
            bytes.putLong(record.timestamp()).putLong(settled);
            put(bytes, record.submission());
            bytes.put(record.outcome());
        });
    }

    /** Returns the bytes that it takes. */
    static long size(WriterEffects.OutcomeRecord record) {
        return JournalLog.sizeOf(OUTCOME_FIXED_SIZE + record.outcome().length);
    }

    static void appendSettled(JournalLog log, long settled) {
        log.append(SETTLED, 0, Long.BYTES, true, bytes -> bytes.putLong(settled));
    }

    private static void put(ByteBuffer bytes, SubmissionKey key) {
        bytes.putLong(key.clientHigh()).putLong(key.clientLow()).putLong(key.number());
    }

    // ---- reading ----

    private static SubmissionKey key(ByteBuffer bytes) {
        return new SubmissionKey(bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    static Epoch epoch(ByteBuffer bytes) {
        long epoch = bytes.getLong();
        long firstEpoch = bytes.getLong();
        long base = bytes.getLong();
        byte[] holder = new byte[Short.toUnsignedInt(bytes.getShort())];
        bytes.get(holder);
        return new Epoch(epoch, firstEpoch, base, new String(holder, StandardCharsets.UTF_8));
    }

    static Update update(ByteBuffer bytes) {
        long epoch = bytes.getLong();
        long timestamp = bytes.getLong();
        long confirmedThrough = bytes.getLong();
        SubmissionKey key = key(bytes);
        int headerSize = bytes.getInt();
        if (headerSize < 0 || headerSize > bytes.remaining()) {
            throw new IllegalArgumentException("routes of " + headerSize + " bytes");
        }
        ByteString header = ByteString.copyFrom(bytes, headerSize);
        KeptUpdate update = new KeptUpdate(ByteString.copyFrom(bytes), header, key);
        update.confirmedThrough = confirmedThrough;
        return new Update(epoch, timestamp, update);
    }

    static Outcome outcome(ByteBuffer bytes) {
        long timestamp = bytes.getLong();
        long settled = bytes.getLong();
        SubmissionKey key = key(bytes);
        byte[] outcome = new byte[bytes.remaining()];
        bytes.get(outcome);
        return new Outcome(timestamp, settled, key, outcome);
    }
}
