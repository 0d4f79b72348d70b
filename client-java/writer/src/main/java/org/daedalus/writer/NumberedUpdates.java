package org.daedalus.writer;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.UpdateHeader;
import org.daedalus.wire.v1.WriteRefused;

/**
 * Updates from the number they get to the moment when every node has them: number, append to the journal, send, send
 * again, confirm, forget (docs/protocol.md, "Updates"). Pure.
 *
 * <p>Nothing of an update leaves before the journal has it, whatever the reason to send: only {@link #send} sends.
 */
final class NumberedUpdates {
    private static final long NEVER = Long.MAX_VALUE;
    /** An update that an aggregator is still busy with is sent again after so many times the usual wait. */
    private static final int BUSY_RESEND_FACTOR = 8;
    private static final long RETRY_NS_MIN = 1_000_000;
    /** A node remembers so many outcomes: those from the first update that is not confirmed to the last. */
    static final int UNCONFIRMED_SPAN_MAX = 8_192;

    private final WriterOptions options;
    private final LiveAggregators aggregators;
    private final TreeMap<Long, KeptUpdate> kept = new TreeMap<>();
    private final Map<KeptUpdate.Carrier, Long> sent = new HashMap<>();
    private final ServedGaps gaps = new ServedGaps();
    private long bytes;
    private long epoch;
    private long lastNumbered;
    private long journaledThrough;
    private long confirmedThrough;
    private long lastProgressNs;
    /** Updates that were refused for want of room are sent again then; {@link #NEVER}: none were. */
    private long roomAgainNs = NEVER;
    /** While this holds nothing is sent: the epoch is being raised. */
    private boolean paused = true;

    NumberedUpdates(WriterOptions options, LiveAggregators aggregators) {
        this.options = options;
        this.aggregators = aggregators;
    }

    /** Updates are numbered from {@code last} + 1 on, under this epoch; up to there the nodes have them all. */
    void start(long writerEpoch, long last, long nowNs) {
        epoch = writerEpoch;
        lastNumbered = last;
        journaledThrough = last;
        confirmedThrough = last;
        lastProgressNs = nowNs;
        paused = false;
    }

    /** Takes over the updates of a journal, which wait for {@link #resume}. */
    void restore(RecoveredJournal journal) {
        lastNumbered = journal.lastNumbered();
        journaledThrough = lastNumbered;
        confirmedThrough = journal.keptFrom() - 1;
        for (RecoveredJournal.Update each : journal.updates()) {
            each.update().forgetSendings();
            kept.put(each.timestamp(), each.update());
            bytes += each.update().bytes();
        }
        while (isConfirmed(confirmedThrough + 1)) {
            confirmedThrough++;
        }
    }

    /** The epoch is none any more: nothing is sent until {@link #resume}, and answers on their way do not count. */
    void pause() {
        paused = true;
        roomAgainNs = NEVER;
        sent.clear();
        kept.values().forEach(KeptUpdate::forgetSendings);
    }

    /** Sends under a new epoch what some node lacks, as all have what is {@code accepted}, or what has no outcome. */
    void resume(long writerEpoch, long accepted, long nowNs, WriterEffects effects) {
        epoch = writerEpoch;
        lastProgressNs = nowNs;
        paused = false;
        gaps.clear();
        kept.forEach((timestamp, update) -> {
            update.sent = timestamp <= accepted && update.confirmed;
            if (!update.sent) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    long epoch() {
        return epoch;
    }

    long lastNumbered() {
        return lastNumbered;
    }

    /** Every update up to here may be sent. */
    long journaledThrough() {
        return journaledThrough;
    }

    /** Returns the first update that can still be sent. */
    long keptFrom() {
        return kept.isEmpty() ? lastNumbered + 1 : kept.firstKey();
    }

    /** Every update up to here is confirmed. */
    long confirmedThrough() {
        return confirmedThrough;
    }

    int count() {
        return kept.size();
    }

    /** Returns the bytes of bodies and routes. */
    long bytes() {
        return bytes;
    }

    /** An update of any size has room where none is kept. */
    boolean hasRoomFor(KeptUpdate update) {
        return kept.size() < options.updatesKeptMax() && lastNumbered - confirmedThrough < UNCONFIRMED_SPAN_MAX
                && (kept.isEmpty() || bytes + update.bytes() <= options.bytesKeptMax());
    }

    /** Gives the update the next timestamp, and the journal the record of it. Precondition: there is room. */
    long number(KeptUpdate update, WriterEffects effects) {
        lastNumbered++;
        update.confirmedThrough = confirmedThrough;
        bytes += update.bytes();
        kept.put(lastNumbered, update);
        effects.records().add(new WriterEffects.JournalRecord(epoch, lastNumbered, update));
        return lastNumbered;
    }

    /** The journal has every update up to {@code through}: they may leave. */
    void onJournaled(long through, long nowNs, WriterEffects effects) {
        if (!isAnyJournaled()) {
            lastProgressNs = nowNs;
        }
        while (journaledThrough < Math.min(through, lastNumbered)) {
            journaledThrough++;
            send(journaledThrough, nowNs, effects);
        }
    }

    private boolean isAnyJournaled() {
        return !kept.isEmpty() && kept.firstKey() <= journaledThrough;
    }

    // ---- sending ----

    private void send(long timestamp, long nowNs, WriterEffects effects) {
        if (paused || timestamp > journaledThrough || aggregators.isEmpty()) {
            return; // resume(), onJournaled() or sendUnsent() comes back to it.
        }
        KeptUpdate update = kept.get(timestamp);
        KeptUpdate.Carrier carrier = aggregators.toNextOf(timestamp);
        OperationHeader header = update.header()
                .setSequence(carrier.sequence())
                .setKind(OperationKind.OPERATION_KIND_UPDATE)
                .setUpdate(UpdateHeader.newBuilder().setEpoch(epoch).setTimestamp(timestamp)
                        .setDigest(update.digest).setConfirmedThrough(update.confirmedThrough))
                .build();
        sent.put(carrier, timestamp);
        KeptUpdate.Carrier givenUp = update.onSending(carrier, nowNs);
        if (givenUp != null) {
            sent.remove(givenUp);
        }
        effects.sends().add(new WriterEffects.Send(carrier.peer(),
                Operation.newBuilder().setHeader(header).setBody(update.body).build()));
    }

    /** An aggregator is there: what could not be sent for want of one is sent. */
    void sendUnsent(long nowNs, WriterEffects effects) {
        kept.forEach((timestamp, update) -> {
            if (!update.sent) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    /** No answer will come from {@code peer}; what it carried goes to others. */
    void onDown(long peer, long nowNs, WriterEffects effects) {
        sent.keySet().removeIf(carrier -> carrier.peer() == peer);
        kept.forEach((timestamp, update) -> {
            if (update.sent && update.via == peer) {
                update.sent = false;
                send(timestamp, nowNs, effects);
            }
        });
    }

    /**
     * Sends updates from {@code first} on again, but not those that an aggregator has not answered: they are on their
     * way, or the connection's end will say so, and sent once more they would only add to the load of those who are
     * late with them.
     */
    private void resendFrom(long first, long nowNs, WriterEffects effects) {
        kept.tailMap(first).forEach((timestamp, update) -> {
            if (update.answered) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    /**
     * A node lacks an update before those that it was sent.
     *
     * @param durable how far the node has come in this life: a gap below that is old news
     */
    void onGap(WriteRefused refused, long durable, long nowNs, WriterEffects effects) {
        long lastAccepted = refused.getLastAccepted();
        if (lastAccepted >= durable
                && gaps.isNew(refused.getNode(), lastAccepted, nowNs, options.resendAfterNs())) {
            resendFrom(lastAccepted + 1, nowNs, effects);
        }
    }

    long nextDeadlineNs() {
        return isAnyJournaled() ? Math.min(roomAgainNs, lastProgressNs + options.resendAfterNs()) : NEVER;
    }

    /** Sends again what some node lacks; every node has what is {@code settled}. */
    void onDeadline(long settled, long nowNs, WriterEffects effects) {
        if (nowNs >= roomAgainNs) {
            roomAgainNs = NEVER;
            resendRefused(nowNs, effects);
        }
        if (!isAnyJournaled() || nowNs < lastProgressNs + options.resendAfterNs()) {
            return;
        }
        lastProgressNs = nowNs;
        long sentBefore = nowNs - BUSY_RESEND_FACTOR * options.resendAfterNs();
        kept.forEach((timestamp, update) -> {
            boolean isLacked = timestamp > settled || !update.confirmed; // Its confirmation may be lost.
            if (isLacked && (update.answered || update.sentNs <= sentBefore)) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    private void resendRefused(long nowNs, WriterEffects effects) {
        kept.forEach((timestamp, update) -> {
            if (update.answered && !update.confirmed) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    // ---- answers ----

    /** Somebody has no room before {@code retryAfterNs} have passed, by its own word. */
    void onOverloaded(long retryAfterNs, long nowNs) {
        long pauseNs = Math.min(Math.max(retryAfterNs, RETRY_NS_MIN), options.resendAfterNs());
        roomAgainNs = Math.min(roomAgainNs, nowNs + pauseNs);
    }

    /** Returns the update that the operation carried, if its answer is still waited for; else null. */
    Long timestampOf(KeptUpdate.Carrier carrier) {
        return sent.get(carrier);
    }

    /** The operation was answered. Precondition: its answer was waited for. */
    void onAnswer(KeptUpdate.Carrier carrier) {
        kept.get(sent.get(carrier)).onAnswer(carrier);
    }

    /** No answer will come: the operation was not handed to its connection. */
    void onUnsent(KeptUpdate.Carrier carrier) {
        Long timestamp = sent.remove(carrier);
        if (timestamp != null) {
            kept.get(timestamp).onAnswer(carrier);
        }
    }

    /** Nodes have come further. */
    void onProgress(long nowNs) {
        lastProgressNs = nowNs;
    }

    /** Returns the update if this is its first confirmation; else null. Precondition: it is kept. */
    KeptUpdate confirm(long timestamp, long nowNs) {
        KeptUpdate update = kept.get(timestamp);
        if (update.confirmed) {
            return null;
        }
        update.confirmed = true;
        lastProgressNs = nowNs;
        while (isConfirmed(confirmedThrough + 1)) {
            confirmedThrough++;
        }
        return update;
    }

    private boolean isConfirmed(long timestamp) {
        KeptUpdate update = kept.get(timestamp);
        return update != null && update.confirmed;
    }

    /** Forgets what is confirmed and what every node has. */
    void forgetSettled(long settled) {
        while (!kept.isEmpty() && kept.firstKey() <= settled && kept.firstEntry().getValue().confirmed) {
            KeptUpdate update = kept.pollFirstEntry().getValue();
            update.carriers().forEach(sent::remove);
            bytes -= update.bytes();
        }
    }

    /** Calls {@code action} for every update whose outcome nobody knows, by timestamp. */
    void forEachUnconfirmed(BiConsumer<Long, KeptUpdate> action) {
        kept.forEach((timestamp, update) -> {
            if (!update.confirmed) {
                action.accept(timestamp, update);
            }
        });
    }
}
