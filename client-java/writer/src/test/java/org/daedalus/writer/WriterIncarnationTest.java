package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.EpochBody;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

/** Nodes that were started again, and a writer that was: both go on from what is durable. */
class WriterIncarnationTest {
    private static final long PEER = 1;
    private static final long SECOND = 1_000_000_000L;
    private static final long EPOCH = 4;

    private final WriterOptions options = WriterOptions.of("writer", "writer:1", false);
    private WriterCore core = new WriterCore(options);
    private WriterEffects effects = new WriterEffects();
    private final List<WriterEffects.OutcomeRecord> outcomes = new ArrayList<>();
    private long nowNs;

    private static NodeWatermark node(int node, long reached, long incarnation) {
        return NodeWatermark.newBuilder().setNode(node).setApplied(reached).setDurable(reached)
                .setIncarnation(incarnation).build();
    }

    private void step(java.util.function.Consumer<WriterEffects> event) {
        effects = new WriterEffects();
        event.accept(effects);
        outcomes.addAll(effects.outcomeRecords());
    }

    private void result(long sequence, Result.Builder result) {
        step(made -> core.onResult(PEER, result.setSequence(sequence).build(), nowNs, made));
    }

    private void start() {
        step(made -> core.onUp(PEER, false, nowNs, made));
        result(effects.sends().get(1).operation().getHeader().getSequence(), Result.newBuilder()
                .setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(EPOCH - 1)));
    }

    private EpochBody raised() throws InvalidProtocolBufferException {
        assertThat(effects.sends()).hasSize(1);
        assertThat(effects.sends().get(0).operation().getHeader().getKind())
                .isEqualTo(OperationKind.OPERATION_KIND_EPOCH);
        return EpochBody.parseFrom(effects.sends().get(0).operation().getBody());
    }

    private void grant(NodeWatermark... nodes) {
        long sequence = effects.sends().get(0).operation().getHeader().getSequence();
        result(sequence, Result.newBuilder().setEpoch(
                EpochReply.newBuilder().setGranted(true).addAllAccepted(List.of(nodes))));
    }

    private WriterEffects.Refusal submit(long number) {
        return submit(new Submission(new SubmissionKey(1, 2, number), core.epoch(), core.lastNumbered(), false));
    }

    private WriterEffects.Refusal submit(Submission submission) {
        effects = new WriterEffects();
        WriterEffects.Refusal refusal = core.submit(submission, ByteString.copyFromUtf8("body " + submission.key()
                .number()), List.of(), 1, effects);
        core.onJournaled(core.lastNumbered(), nowNs, effects);
        return refusal;
    }

    private List<Long> sent() {
        return effects.sends().stream().map(send -> send.operation().getHeader().getUpdate().getTimestamp()).toList();
    }

    private long sequence() {
        return effects.sends().get(0).operation().getHeader().getSequence();
    }

    private static Result.Builder refused(WriteRefusal reason, long epoch) {
        return Result.newBuilder().setRefused(WriteRefused.newBuilder().setReason(reason).setEpoch(epoch));
    }

    private static Result.Builder confirmed(long timestamp, NodeWatermark... nodes) {
        return Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(timestamp)
                .addAllWatermarks(List.of(nodes)));
    }

    /** Two nodes, updates 1 and 2 durable on both, 3 on node 0 alone and confirmed, 4 under way. */
    private long underWay() {
        start();
        grant(node(0, 0, 70), node(1, 0, 80));
        long sequence = 0;
        for (long number = 1; number <= 4; number++) {
            assertThat(submit(number)).isNull();
            sequence = sequence();
            if (number < 4) {
                result(sequence, confirmed(number, node(0, number, 70), node(1, Math.min(2, number), 80)));
            }
        }
        assertThat(core.status().getUpdatesKept()).isEqualTo(2);
        nowNs += SECOND;
        return sequence;
    }

    @Test
    void shouldRaiseItsEpochAnewAndSendOnFromWhatAllNodesHave() throws InvalidProtocolBufferException {
        long sequence = underWay();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.RAISING);
        assertThat(effects.outcomes()).as("what is under way waits").isEmpty();
        EpochBody body = raised();
        assertThat(body.getEpoch()).isEqualTo(EPOCH + 1);
        assertThat(body.getKeptFrom()).isEqualTo(3);
        grant(node(0, 3, 70), node(1, 2, 81));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(sent()).containsExactly(3L, 4L);
        assertThat(effects.sends().get(0).operation().getHeader().getUpdate().getEpoch()).isEqualTo(EPOCH + 1);
        assertThat(effects.epochRecord()).isEqualTo(new WriterEffects.EpochRecord(EPOCH + 1, EPOCH, 0));
        assertThat(core.lastNumbered()).isEqualTo(4);
    }

    /** The first one may be cut off from the nodes, or know an older map, for as long as it likes. */
    @Test
    void shouldAskTheNextAggregatorWhenOneDoesNotAnswerOrIsRefused() {
        step(made -> core.onUp(PEER, false, nowNs, made));
        step(made -> core.onUp(PEER + 1, false, nowNs, made));
        List<Long> asked = new ArrayList<>();
        for (int retry = 0; retry < 3; retry++) {
            nowNs += SECOND;
            step(made -> core.onDeadline(nowNs, made));
            asked.add(effects.sends().get(0).peer());
        }
        assertThat(asked).containsExactly(PEER + 1, PEER, PEER + 1);
        long sequence = effects.sends().get(0).operation().getHeader().getSequence();
        step(made -> core.onResult(PEER + 1, Result.newBuilder().setSequence(sequence)
                .setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(EPOCH - 1)).build(), nowNs, made));
        assertThat(effects.sends()).hasSize(1);
        assertThat(effects.sends().get(0).peer()).as("the one that reaches the nodes").isEqualTo(PEER + 1);
    }

    /** Its refusal of the update may have been lost on its way: it says the same to whoever asks for an epoch. */
    @Test
    void shouldEndWhenANodeThatIsBrokenRefusesItsEpoch() {
        long sequence = underWay();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        result(sequence(), Result.newBuilder().setEpoch(EpochReply.newBuilder().setEpoch(EPOCH + 1)
                .setHolder("writer").setEndpoint("writer:1").setError(Error.newBuilder().setSqlstate("XX001")
                        .setMessage("two different updates carry one number between 4 and 4"))));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(core.failure().getSqlstate()).isEqualTo("F0000");
        assertThat(core.failure().getMessage()).isEqualTo(
                "a node refused epoch 5: two different updates carry one number between 4 and 4");
    }

    @Test
    void shouldGiveNoNumbersWhileItRaisesAndAnswerWhatItKnows() {
        long sequence = underWay();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        assertThat(submit(5).error().getSqlstate()).isEqualTo("57P03");
        assertThat(submit(new Submission(new SubmissionKey(1, 2, 3), EPOCH, 2, true))).isNull();
        assertThat(effects.outcomes()).hasSize(1);
        assertThat(submit(new Submission(new SubmissionKey(1, 2, 4), EPOCH, 2, true))).as("under way").isNull();
        assertThat(effects.outcomes()).isEmpty();
        assertThat(effects.sends()).isEmpty();
    }

    @Test
    void shouldSendWhatWasJournaledMeanwhileUnderTheNextEpochAlone() {
        long sequence = underWay();
        effects = new WriterEffects();
        assertThat(core.submit(new Submission(new SubmissionKey(1, 2, 5), EPOCH, 4, false), ByteString.EMPTY, List.of(),
                1, effects)).isNull();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        long raise = sequence();
        step(made -> core.onJournaled(5, nowNs, made));
        assertThat(effects.sends()).isEmpty();
        step(made -> core.onUp(PEER + 1, false, nowNs, made));
        assertThat(sent()).as("DESCRIBE").containsExactly(0L);
        result(raise, Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true)
                .addAllAccepted(List.of(node(0, 4, 70), node(1, 4, 81)))));
        assertThat(sent()).containsExactly(4L, 5L);
    }

    @Test
    void shouldNotListenToWhatIsAnsweredToSendingsOfTheEpochBefore() {
        long sequence = underWay();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        grant(node(0, 4, 70), node(1, 2, 81));
        List<Long> again = sent();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_STALE_EPOCH, EPOCH + 1));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(again).containsExactly(3L, 4L);
    }

    @Test
    void shouldNotRaiseOftenerThanItWouldAsk() {
        long sequence = underWay();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        grant(node(0, 4, 70), node(1, 2, 81));
        result(sequence(), refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        assertThat(effects.sends()).isEmpty();
        assertThat(effects.deadlineNs()).isEqualTo(nowNs + options.epochRetryNs());
        nowNs += options.epochRetryNs();
        step(made -> core.onDeadline(nowNs, made));
        assertThat(effects.sends()).hasSize(1);
    }

    @Test
    void shouldKeepMarksOfTheLifeThatGrantedItsEpochAlone() {
        long sequence = underWay();
        result(sequence, confirmed(4, node(0, 4, 70), node(1, 4, 81)));
        assertThat(core.status().getSettledThrough()).as("another life of node 1").isEqualTo(2);
        assertThat(core.status().getUpdatesKept()).isEqualTo(2);
    }

    @Test
    void shouldGoBackForAGapBelowWhatTheNodeHadInItsFormerLife() {
        long sequence = underWay();
        result(sequence, confirmed(4, node(0, 4, 70), node(1, 4, 80)));
        for (long number = 5; number <= 7; number++) {
            assertThat(submit(number)).isNull();
        }
        nowNs += SECOND;
        result(sequence(), refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        grant(node(0, 7, 70), node(1, 4, 81));
        assertThat(sent()).containsExactly(5L, 6L, 7L);
        List<Long> sequences = effects.sends().stream().map(send -> send.operation().getHeader().getSequence())
                .toList();
        Result.Builder gap = Result.newBuilder().setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_GAP).setNode(1).setLastAccepted(4));
        result(sequences.get(1), gap.clone());
        assertThat(sent()).as("it nobody carries any more").containsExactly(6L);
        result(sequences.get(2), gap.clone());
        assertThat(sent()).as("one gap, one going back").isEmpty();
    }

    @Test
    void shouldGiveWayToWhoRaisedHigherMeanwhile() {
        long sequence = underWay();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        result(effects.sends().get(0).operation().getHeader().getSequence(), Result.newBuilder().setEpoch(
                EpochReply.newBuilder().setEpoch(EPOCH + 1).setHolder("another").setEndpoint("another:1")));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(core.failure().getMessage()).contains("another has taken over as the writer (epoch 5)");
        assertThat(effects.outcomes()).extracting(outcome -> outcome.error().getSqlstate()).containsExactly("08007");
    }

    @Test
    void shouldNameANodeThatLacksWhatNobodyCanSendAndTryAgainUntilItIsRestored() throws InvalidProtocolBufferException {
        long sequence = underWay();
        result(sequence, refused(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION, 0));
        grant(node(0, 4, 70), node(1, 1, 81));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.RAISING);
        assertThat(core.status().getProblem()).contains("node 1 has accepted updates up to 1").contains("from 3 on");
        assertThat(submit(5).error().getMessage()).contains("node 1");
        nowNs = core.nextDeadlineNs();
        step(made -> core.onDeadline(nowNs, made));
        assertThat(raised().getEpoch()).isEqualTo(EPOCH + 2);
        result(effects.sends().get(0).operation().getHeader().getSequence(), Result.newBuilder().setEpoch(
                EpochReply.newBuilder().setEpoch(EPOCH + 2).setHolder("writer").setEndpoint("writer:1")
                        .setError(Error.newBuilder().setSqlstate("55000").setMessage("node 1 is incomplete"))));
        assertThat(core.status().getProblem()).contains("node 1 is incomplete");
        nowNs = core.nextDeadlineNs();
        step(made -> core.onDeadline(nowNs, made));
        assertThat(raised().getEpoch()).isEqualTo(EPOCH + 3);
        grant(node(0, 4, 70), node(1, 3, 82));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(core.status().getProblem()).isEmpty();
        assertThat(sent()).as("3 is everywhere by now").containsExactly(4L);
    }

    @Test
    void shouldNumberNoFurtherAheadThanNodesRememberOutcomes() {
        start();
        grant(node(0, 0, 70));
        WriterEffects.Refusal refusal = null;
        long number = 0;
        long first = 0;
        while (refusal == null) {
            number++;
            refusal = submit(number);
            first = number == 1 ? sequence() : first;
        }
        assertThat(number).isEqualTo(8_192 + 1);
        assertThat(refusal.error().getSqlstate()).isEqualTo("53400");
        result(first, confirmed(1, node(0, 1, 70)));
        assertThat(submit(number)).isNull();
    }

    // ---- the writer itself comes back ----

    private RecoveredJournal recovered() {
        List<RecoveredJournal.Update> updates = new ArrayList<>();
        List<KnownSubmissions.Recovered> submissions = new ArrayList<>();
        byte[] outcome = WriteConfirmed.newBuilder().setTimestamp(3).build().toByteArray();
        for (long number = 1; number <= 4; number++) {
            SubmissionKey key = new SubmissionKey(1, 2, number);
            submissions.add(new KnownSubmissions.Recovered(key, number, number < 4 ? outcome : null, number));
            if (number > 2) {
                KeptUpdate update = new KeptUpdate(ByteString.copyFromUtf8("body " + number), List.of(), 1, key);
                update.confirmed = number == 3;
                updates.add(new RecoveredJournal.Update(number, update));
            }
        }
        return new RecoveredJournal(true, false, EPOCH - 2, 0, 4, updates, submissions, 0);
    }

    @Test
    void shouldGoOnWhereItsJournalEnds() throws InvalidProtocolBufferException {
        core = new WriterCore(options, recovered());
        start();
        assertThat(raised().getKeptFrom()).isEqualTo(3);
        grant(node(0, 4, 70), node(1, 2, 80));
        assertThat(sent()).containsExactly(3L, 4L);
        assertThat(effects.epochRecord()).isEqualTo(new WriterEffects.EpochRecord(EPOCH, EPOCH - 2, 0));
        long fourth = effects.sends().get(1).operation().getHeader().getSequence();
        assertThat(submit(new Submission(new SubmissionKey(1, 2, 2), EPOCH - 1, 1, true))).isNull();
        assertThat(effects.outcomes()).as("known from before").hasSize(1);
        assertThat(submit(new Submission(new SubmissionKey(1, 2, 4), EPOCH - 1, 3, true))).isNull();
        assertThat(effects.outcomes()).isEmpty();
        result(fourth, confirmed(4, node(0, 4, 70), node(1, 4, 80)));
        assertThat(effects.outcomes()).hasSize(1);
        assertThat(effects.outcomeRecords()).hasSize(1);
        assertThat(submit(5)).isNull();
        assertThat(sent()).containsExactly(5L);
    }

    /** Nobody else has numbered since then: what is not known has no number. */
    @Test
    void shouldTakeWhatWasSentToItInAnEarlierLifeAndNeverGotANumber() {
        core = new WriterCore(options, recovered());
        start();
        grant(node(0, 4, 70), node(1, 4, 80));
        assertThat(submit(new Submission(new SubmissionKey(1, 2, 9), EPOCH - 2, 3, true))).isNull();
        assertThat(core.lastNumbered()).isEqualTo(5);
        assertThat(submit(new Submission(new SubmissionKey(1, 2, 10), EPOCH - 3, 3, true)).error().getSqlstate())
                .as("of a writer that it knows nothing of").isEqualTo("08007");
    }

    @Test
    void shouldNeverNumberOverWhatNodesHaveBeyondItsJournal() {
        core = new WriterCore(options, recovered());
        start();
        grant(node(0, 4, 70), node(1, 5, 80));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(core.failure().getMessage()).contains("node 1 has accepted updates up to 5")
                .contains("numbered up to 4").contains("not the newest");
    }

    @Test
    void shouldBeginANewJournalOnAClusterWithUpdatesOnlyWhenToldTo() {
        core = new WriterCore(options, RecoveredJournal.unused(false));
        start();
        grant(node(0, 4, 70), node(1, 4, 80));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(core.failure().getHint()).contains("--adopt");
        core = new WriterCore(options, RecoveredJournal.unused(true));
        start();
        grant(node(0, 4, 70), node(1, 4, 80));
        assertThat(effects.epochRecord()).isEqualTo(new WriterEffects.EpochRecord(EPOCH, EPOCH, 4));
        assertThat(submit(1)).isNull();
        assertThat(core.lastNumbered()).isEqualTo(5);
        core = new WriterCore(options, RecoveredJournal.unused(false));
        start();
        grant(node(0, 0, 70), node(1, 0, 80));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
    }

    @Test
    void shouldRefuseSubmissionsWithTheReasonWhileItsJournalTakesNone() {
        underWay();
        core.onJournalState(new JournalState(10, 10, null));
        assertThat(submit(5).error().getSqlstate()).isEqualTo("53100");
        assertThat(submit(5).error().getMessage()).contains("node 1").contains("10 bytes");
        core.onJournalState(new JournalState(9, 10, Errors.retry(Errors.DISK_FULL, "the disk is full", "")));
        assertThat(submit(5).error().getMessage()).isEqualTo("the disk is full");
        assertThat(core.status().getProblem()).isEqualTo("the disk is full");
        core.onJournalState(new JournalState(9, 10, null));
        assertThat(submit(5)).isNull();
        assertThat(core.status().getJournaledThrough()).isEqualTo(5);
    }
}
