package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

/** Number, append, journaled, send: nothing of an update leaves before the journal has it, whatever else happens. */
class WriterJournalTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long START = 50;
    private static final int PEERS = 3;

    private final WriterCore core = new WriterCore(WriterOptions.of("writer", "writer:1", false));
    private final List<WriterEffects.Send> open = new ArrayList<>();
    private final List<Long> appended = new ArrayList<>();
    private final Map<SubmissionKey, WriteConfirmed> outcomes = new HashMap<>();
    private final TreeSet<Long> received = new TreeSet<>();
    private final TreeSet<Long> up = new TreeSet<>();
    private long journaled = START;
    private long nowNs;

    /** One event of the core, whose effects are checked and kept. */
    private interface Event {
        void run(WriterEffects effects);
    }

    private WriterEffects step(Event event) {
        WriterEffects effects = new WriterEffects();
        event.run(effects);
        for (WriterEffects.Send send : effects.sends()) {
            if (send.operation().getHeader().getKind() == OperationKind.OPERATION_KIND_UPDATE) {
                assertThat(timestampOf(send)).as("sent").isLessThanOrEqualTo(journaled);
            }
            open.add(send);
        }
        for (WriterEffects.JournalRecord appending : effects.records()) {
            assertThat(appending.timestamp()).isEqualTo(START + appended.size() + 1);
            appended.add(appending.timestamp());
        }
        for (WriterEffects.SubmissionOutcome outcome : effects.outcomes()) {
            assertThat(outcome.error()).isNull();
            WriteConfirmed before = outcomes.put(outcome.submission(), outcome.confirmed());
            assertThat(before).as("a repeated outcome is the same").isIn(null, outcome.confirmed());
        }
        return effects;
    }

    private static long timestampOf(WriterEffects.Send send) {
        return send.operation().getHeader().getUpdate().getTimestamp();
    }

    private void start() {
        up(1);
        step(effects -> core.onResult(1, epoch(2, EpochReply.newBuilder()), nowNs, effects));
        step(effects -> core.onResult(1, epoch(3, EpochReply.newBuilder().setEpoch(1).addAccepted(
                NodeWatermark.newBuilder().setApplied(START).setDurable(START))), nowNs, effects));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        open.clear();
    }

    private static Result epoch(long sequence, EpochReply.Builder reply) {
        return Result.newBuilder().setSequence(sequence).setEpoch(reply.setGranted(true)).build();
    }

    private void up(long peer) {
        up.add(peer);
        step(effects -> core.onUp(peer, false, nowNs, effects));
    }

    private void down(long peer) {
        up.remove(peer);
        open.removeIf(send -> send.peer() == peer);
        step(effects -> core.onDown(peer, nowNs, effects));
    }

    private WriterEffects submit(long number, boolean repeated) {
        Submission submission = new Submission(new SubmissionKey(1, 2, number), 1, START, repeated);
        return step(effects -> assertThat(core.submit(submission, ByteString.copyFromUtf8("body " + number), List.of(),
                1, effects)).isNull());
    }

    private WriterEffects journal(long through) {
        journaled = Math.max(journaled, through);
        return step(effects -> core.onJournaled(through, nowNs, effects));
    }

    /** One node behind all aggregators: confirms what it has everything before of, and misses the rest. */
    private void answer(WriterEffects.Send send) {
        Result.Builder result = Result.newBuilder().setSequence(send.operation().getHeader().getSequence());
        if (send.operation().getHeader().getKind() != OperationKind.OPERATION_KIND_UPDATE) {
            return;
        }
        long timestamp = timestampOf(send);
        received.add(timestamp);
        long through = START;
        while (received.contains(through + 1)) {
            through++;
        }
        if (timestamp <= through) {
            NodeWatermark.Builder node = NodeWatermark.newBuilder().setApplied(through).setDurable(through);
            result.setConfirmed(WriteConfirmed.newBuilder().setTimestamp(timestamp).addWatermarks(node));
        } else {
            result.setRefused(WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_GAP)
                    .setLastAccepted(through));
        }
        step(effects -> core.onResult(send.peer(), result.build(), nowNs, effects));
    }

    @Test
    void shouldSendAnUpdateOnceTheJournalHasIt() {
        start();
        assertThat(submit(1, false).records()).hasSize(1);
        assertThat(submit(2, false).sends()).isEmpty();
        assertThat(journal(START).sends()).isEmpty();
        assertThat(journal(START + 1).sends()).extracting(WriterJournalTest::timestampOf).containsExactly(START + 1);
        assertThat(journal(START + 9).sends()).extracting(WriterJournalTest::timestampOf).containsExactly(START + 2);
        assertThat(journal(START + 9).sends()).isEmpty();
    }

    @Test
    void shouldNotWaitForProgressOfWhatHasNotBeenSent() {
        start();
        assertThat(submit(1, false).deadlineNs()).isEqualTo(Long.MAX_VALUE);
        nowNs = 5 * SECOND;
        assertThat(journal(START + 1).deadlineNs()).isEqualTo(6 * SECOND);
        assertThat(submit(2, false).deadlineNs()).isEqualTo(6 * SECOND);
        nowNs = 5 * SECOND + SECOND / 2;
        assertThat(journal(START + 2).deadlineNs()).as("the first still waits").isEqualTo(6 * SECOND);
    }

    @Test
    void shouldTellARepetitionNothingWhileTheFirstIsOnItsWayToTheJournal() {
        start();
        submit(1, false);
        WriterEffects repeated = submit(1, true);
        assertThat(repeated.records()).isEmpty();
        assertThat(repeated.outcomes()).isEmpty();
        journal(START + 1);
        answer(open.get(0));
        assertThat(outcomes).hasSize(1);
        assertThat(submit(1, true).outcomes()).as("known from now on").hasSize(1);
    }

    @Test
    void shouldCallUnknownWhatTheJournalMayHaveWhenAnotherWriterTakesOver() {
        start();
        submit(1, false);
        journal(START + 1);
        submit(2, false);
        WriterEffects effects = new WriterEffects();
        core.onResult(1, Result.newBuilder().setSequence(open.get(0).operation().getHeader().getSequence())
                .setRefused(WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_STALE_EPOCH).setEpoch(2))
                .build(), nowNs, effects);
        assertThat(effects.outcomes()).extracting(outcome -> outcome.error().getSqlstate())
                .containsExactly("08007", "08007");
        effects = new WriterEffects();
        core.onJournaled(START + 2, nowNs, effects);
        assertThat(effects.sends()).as("it is not the writer any more").isEmpty();
    }

    @Test
    void shouldSendWhatFoundNoAggregatorWhenOneIsThereAgain() {
        start();
        down(1);
        submit(1, false);
        assertThat(journal(START + 1).sends()).isEmpty();
        up(2);
        assertThat(open).extracting(WriterJournalTest::timestampOf).containsExactly(0L, START + 1);
    }

    @Test
    void shouldStopWhenANodeHasAnotherUpdateUnderTheSameNumber() {
        start();
        assertThat(core.status().getProblem()).isEmpty();
        submit(1, false);
        journal(START + 1);
        core.onResult(1, Result.newBuilder().setSequence(open.get(0).operation().getHeader().getSequence())
                .setRefused(WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_DIGEST_MISMATCH)).build(),
                nowNs, new WriterEffects());
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(core.failure().getSqlstate()).isEqualTo("F0000");
        assertThat(core.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldSayWhatTheNodesHaveSettledOnceItIsTheWriter() {
        assertThat(core.status().getSettledThrough()).isZero();
        start();
        assertThat(core.status().getSettledThrough()).isEqualTo(START);
    }

    @Test
    void shouldLoseAndSendNothingEarlyWhateverTheOrderOfEvents() {
        Random random = new Random(Seeds.next());
        start();
        long submitted = 0;
        for (int round = 0; round < 4_000; round++) {
            nowNs += random.nextInt(100_000_000);
            switch (random.nextInt(10)) {
                case 0, 1 -> submitted = submitted - outcomes.size() < 500 ? submitNext(submitted) : submitted;
                case 2 -> submit(1 + random.nextLong(submitted + 1) % Math.max(1, submitted), submitted > 0);
                case 3, 4 -> journal(START + random.nextLong(appended.size() + 2L));
                case 5 -> toggle(1 + random.nextInt(PEERS));
                case 6 -> {
                    if (nowNs >= core.nextDeadlineNs()) {
                        step(effects -> core.onDeadline(nowNs, effects));
                    }
                }
                default -> {
                    if (!open.isEmpty()) {
                        answer(open.remove(random.nextInt(open.size())));
                    }
                }
            }
            submitted = Math.max(submitted, appended.size());
        }
        settle();
        assertThat(outcomes).hasSize(appended.size());
        assertThat(received).hasSize(appended.size());
        assertThat(core.status().getUpdatesKept()).isZero();
    }

    private long submitNext(long submitted) {
        submit(submitted + 1, false);
        return submitted + 1;
    }

    private void toggle(long peer) {
        if (up.contains(peer)) {
            down(peer);
        } else {
            up(peer);
        }
    }

    /** The journal catches up, an aggregator stays, and every answer arrives. */
    private void settle() {
        if (up.isEmpty()) {
            up(1);
        }
        journal(START + appended.size());
        for (int tried = 0; tried < 100 && core.status().getUpdatesKept() > 0; tried++) {
            while (!open.isEmpty()) {
                answer(open.remove(0));
            }
            nowNs += 8 * SECOND;
            step(effects -> core.onDeadline(nowNs, effects));
        }
    }
}
