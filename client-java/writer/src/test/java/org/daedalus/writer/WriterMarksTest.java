package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Marked;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

/** The writer sends its mark, and tells an outcome only when every node with a part in it knows of it. */
class WriterMarksTest {
    private static final long FIRST = 4;
    private static final long SECOND = 5;
    private static final long EPOCH = 3;
    private static final long START = 50;
    private static final long REPEAT_NS = Marks.REPEAT_NS;
    private static final long ANSWER_NS_MAX = Marks.ANSWER_NS_MAX;

    private WriterCore core = new WriterCore(WriterCoreTest.options(1_000));
    private WriterEffects effects = new WriterEffects();
    private long nowNs;

    /** Becomes the writer of two nodes that have come as far as update 50, over these aggregators. */
    private void start(long... peersThatTakeMarks) {
        for (long peer : peersThatTakeMarks) {
            core.onUp(peer, true, nowNs, effects);
        }
        raise();
    }

    private void raise() {
        for (WriterEffects.Send send : List.copyOf(effects.sends())) {
            raise(send);
        }
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
    }

    private void raise(WriterEffects.Send send) {
        if (send.operation().getHeader().getKind() != OperationKind.OPERATION_KIND_EPOCH) {
            return;
        }
        effects = new WriterEffects();
        answer(send, Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(EPOCH - 1)));
        answer(effects.sends().get(0), Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true)
                .setEpoch(EPOCH).addAccepted(node(0, START, 0)).addAccepted(node(1, START, 0))));
    }

    private static NodeWatermark node(int node, long durable, long mark) {
        return NodeWatermark.newBuilder().setNode(node).setApplied(durable).setDurable(durable).setMark(mark).build();
    }

    private void answer(WriterEffects.Send send, Result.Builder result) {
        core.onResult(send.peer(), result.setSequence(send.operation().getHeader().getSequence()).build(), nowNs,
                effects);
    }

    /** Submits the update of that number, which is sent at once. */
    private WriterEffects.Send submit(long number) {
        effects = new WriterEffects();
        assertThat(core.submit(first(number), ByteString.copyFromUtf8("body"), List.of(Route.getDefaultInstance()), 1,
                effects)).isNull();
        core.onJournaled(core.lastNumbered(), nowNs, effects);
        assertThat(effects.sends()).hasSize(1);
        return effects.sends().get(0);
    }

    private Submission first(long number) {
        return new Submission(new SubmissionKey(1, 2, number), core.epoch(), core.lastNumbered(), false);
    }

    /** These nodes have a part in the update and have confirmed it; all nodes have it. */
    private void confirm(WriterEffects.Send update, int... nodes) {
        long timestamp = update.operation().getHeader().getUpdate().getTimestamp();
        WriteConfirmed.Builder confirmed = WriteConfirmed.newBuilder().setTimestamp(timestamp)
                .addWatermarks(node(0, timestamp, 0)).addWatermarks(node(1, timestamp, 0));
        for (int node : nodes) {
            confirmed.addOutcomes(PartitionOutcome.newBuilder().setNode(node).setRowsApplied(1));
        }
        effects = new WriterEffects();
        answer(update, Result.newBuilder().setConfirmed(confirmed));
    }

    /** Sends the marks that are due, and returns them. */
    private List<WriterEffects.Send> marks() {
        effects = new WriterEffects();
        core.sendMarks(nowNs, effects);
        effects.sends().forEach(send ->
                assertThat(send.operation().getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_MARK));
        return List.copyOf(effects.sends());
    }

    private List<WriterEffects.Send> marksAfter(long waitNs) {
        nowNs += waitNs;
        effects = new WriterEffects();
        core.onDeadline(nowNs, effects);
        return marks();
    }

    private void marked(WriterEffects.Send mark, NodeWatermark... nodes) {
        effects = new WriterEffects();
        answer(mark, Result.newBuilder().setMarked(Marked.newBuilder().addAllWatermarks(List.of(nodes))));
    }

    private List<Long> told() {
        return effects.outcomes().stream().map(outcome -> {
            assertThat(outcome.error()).isNull();
            return outcome.confirmed().getTimestamp();
        }).toList();
    }

    private static List<Long> peers(List<WriterEffects.Send> sends) {
        return sends.stream().map(WriterEffects.Send::peer).toList();
    }

    private static List<Long> passingOn(List<WriterEffects.Send> sends) {
        return sends.stream().filter(send -> send.operation().getHeader().getIsPassedOn())
                .map(WriterEffects.Send::peer).toList();
    }

    private static List<Long> values(List<WriterEffects.Send> sends) {
        return sends.stream().map(send -> send.operation().getHeader().getMark()).toList();
    }

    // ---- outcomes ----

    @Test
    void shouldTellNoOutcomeBeforeEveryNodeWithAPartKnowsOfIt() {
        start(FIRST);
        marks();
        confirm(submit(1), 0, 1);
        assertThat(told()).isEmpty();
        WriterEffects.Send mark = marks().get(0);
        assertThat(mark.operation().getHeader().getMark()).isEqualTo(START + 1);
        marked(mark, node(0, START + 1, START + 1), node(1, START + 1, START));
        assertThat(told()).as("node 1 does not know yet").isEmpty();
        marked(marksAfter(REPEAT_NS).get(0), node(1, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
        marked(marksAfter(REPEAT_NS).get(0), node(1, START + 1, START + 1));
        assertThat(told()).as("once").isEmpty();
    }

    @Test
    void shouldNotWaitForANodeWithoutAPart() {
        start(FIRST);
        marks();
        confirm(submit(1), 1);
        marked(marks().get(0), node(1, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
    }

    @Test
    void shouldTellOutcomesInTheOrderOfTheirTimestamps() {
        start(FIRST);
        marks();
        WriterEffects.Send one = submit(1);
        WriterEffects.Send two = submit(2);
        confirm(two, 0);
        assertThat(marks()).as("the first one is open").isEmpty();
        confirm(one, 1);
        List<WriterEffects.Send> marks = marks();
        assertThat(values(marks)).containsExactly(START + 2);
        marked(marks.get(0), node(0, START + 2, START + 2), node(1, START + 2, START));
        assertThat(told()).as("node 0 knows of the second one, which waits for the first").isEmpty();
        marked(marksAfter(REPEAT_NS).get(0), node(1, START + 2, START + 2));
        assertThat(told()).containsExactly(START + 1, START + 2);
    }

    @Test
    void shouldTakeAMarkThatComesWithAConfirmation() {
        start(FIRST);
        marks();
        confirm(submit(1), 0);
        marks();
        WriterEffects.Send second = submit(2);
        effects = new WriterEffects();
        answer(second, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(START + 2)
                .addWatermarks(node(0, START + 2, START + 1))));
        assertThat(told()).containsExactly(START + 1, START + 2);
    }

    @Test
    void shouldWaitForANodeThatDiesInBetween() {
        start(FIRST);
        marks();
        confirm(submit(1), 0, 1);
        marked(marks().get(0), node(0, START + 1, START + 1));
        for (int tried = 0; tried < 20; tried++) {
            marked(marksAfter(REPEAT_NS).get(0), node(0, START + 1, START + 1));
            assertThat(told()).as("node 1 is not there").isEmpty();
        }
        marked(marksAfter(REPEAT_NS).get(0), node(0, START + 1, START + 1), node(1, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
    }

    @Test
    void shouldTellAtOnceWhereNoAggregatorTakesMarks() {
        core.onUp(FIRST, false, nowNs, effects);
        raise();
        assertThat(marks()).isEmpty();
        WriterEffects.Send one = submit(1);
        confirm(submit(2), 0);
        assertThat(told()).as("in order all the same").isEmpty();
        confirm(one, 0);
        assertThat(told()).containsExactly(START + 1, START + 2);
        assertThat(marks()).isEmpty();
    }

    @Test
    void shouldTellNothingWhenTheOnlyAggregatorDiesWithAMarkUnderWay() {
        start(FIRST);
        marks();
        confirm(submit(1), 0);
        assertThat(marks()).hasSize(1);
        effects = new WriterEffects();
        core.onDown(FIRST, nowNs, effects);
        assertThat(told()).isEmpty();
        core.onUp(SECOND, true, nowNs, effects);
        List<WriterEffects.Send> marks = marks();
        assertThat(passingOn(marks)).containsExactly(SECOND);
        marked(marks.get(0), node(0, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
    }

    @Test
    void shouldSayThatItDoesNotKnowWhatBecomesOfUntoldOutcomesWhenItFails() {
        start(FIRST);
        marks();
        WriterEffects.Send open = submit(1);
        confirm(submit(2), 0);
        effects = new WriterEffects();
        answer(open, Result.newBuilder().setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_STALE_EPOCH).setEpoch(EPOCH + 1).setHolder("other")));
        assertThat(effects.outcomes()).extracting(outcome -> outcome.submission().number()).containsExactly(1L, 2L);
        assertThat(effects.outcomes()).extracting(WriterEffects.SubmissionOutcome::error)
                .extracting(Error::getCategory).containsOnly(ErrorCategory.ERROR_CATEGORY_UNKNOWN);
        assertThat(marksAfter(REPEAT_NS)).as("another one is the writer").isEmpty();
        effects = new WriterEffects();
        core.submit(repeated(2), ByteString.EMPTY, List.of(), 1, effects);
        assertThat(effects.outcomes().get(0).error().getCategory())
                .isEqualTo(ErrorCategory.ERROR_CATEGORY_UNKNOWN);
    }

    private Submission repeated(long number) {
        return new Submission(new SubmissionKey(1, 2, number), core.epoch(), START, true);
    }

    @Test
    void shouldTellARepetitionTogetherWithTheFirstSending() {
        start(FIRST);
        marks();
        confirm(submit(1), 0);
        effects = new WriterEffects();
        assertThat(core.submit(repeated(1), ByteString.EMPTY, List.of(), 1, effects)).isNull();
        assertThat(told()).isEmpty();
        marked(marks().get(0), node(0, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
        assertThat(core.submit(repeated(1), ByteString.EMPTY, List.of(), 1, effects)).isNull();
        assertThat(told()).as("at once, once it has been told").containsExactly(START + 1, START + 1);
    }

    @Test
    void shouldHoldBackAnOutcomeFromBeforeItsProcessUntilTheNodesKnowOfItAgain() {
        WriteConfirmed confirmed = WriteConfirmed.newBuilder().setTimestamp(START + 1)
                .addOutcomes(PartitionOutcome.newBuilder().setNode(1)).build();
        core = new WriterCore(WriterCoreTest.options(1_000), new RecoveredJournal(true, false, EPOCH, START, START + 1,
                List.of(), List.of(new KnownSubmissions.Recovered(new SubmissionKey(1, 2, 1), START + 1,
                        confirmed.toByteArray(), 0)), 0));
        effects = new WriterEffects();
        core.submit(repeated(1), ByteString.EMPTY, List.of(), 1, effects);
        assertThat(told()).as("it has not reached anybody").isEmpty();
        core.onUp(FIRST, true, nowNs, effects);
        WriterEffects.Send inquiry = effects.sends().get(1);
        effects = new WriterEffects();
        answer(inquiry, Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(EPOCH)
                .setHolder("writer").setEndpoint("")));
        WriterEffects.Send raise = effects.sends().get(0);
        answer(raise, Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(EPOCH + 1)
                .addAccepted(node(0, START + 1, 0)).addAccepted(node(1, START + 1, 0))));
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(told()).isEmpty();
        List<WriterEffects.Send> marks = marks();
        assertThat(values(marks)).as("the mark begins where the journal ends").containsExactly(START + 1);
        marked(marks.get(0), node(1, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
    }

    @Test
    void shouldNumberNoMoreWhileTooManyOutcomesAreUntold() {
        start(FIRST);
        marks();
        for (long number = 1; number <= UntoldOutcomes.COUNT_MAX; number++) {
            confirm(submit(number), 0);
        }
        effects = new WriterEffects();
        WriterEffects.Refusal refusal = core.submit(first(9_000), ByteString.EMPTY, List.of(), 1, effects);
        assertThat(refusal.error().getSqlstate()).isEqualTo(Errors.LIMIT_EXCEEDED);
        long last = core.lastNumbered();
        marked(marks().get(0), node(0, last, last));
        assertThat(told()).hasSize(UntoldOutcomes.COUNT_MAX);
        submit(9_001);
    }

    // ---- marks ----

    @Test
    void shouldSendItsMarkToEveryAggregatorAndHaveOnePassItOn() {
        start(FIRST, SECOND);
        List<WriterEffects.Send> marks = marks();
        assertThat(peers(marks)).as("as soon as it is the writer").containsExactly(FIRST, SECOND);
        assertThat(values(marks)).containsOnly(START);
        assertThat(passingOn(marks)).containsExactly(FIRST);
        assertThat(marks()).isEmpty();
        confirm(submit(1), 0);
        marks = marks();
        assertThat(peers(marks)).containsExactly(FIRST, SECOND);
        assertThat(values(marks)).containsOnly(START + 1);
        assertThat(passingOn(marks)).containsExactly(FIRST);
    }

    @Test
    void shouldSendOneMarkForAllThatArrivedTogether() {
        start(FIRST);
        marks();
        WriterEffects.Send one = submit(1);
        WriterEffects.Send two = submit(2);
        confirm(one, 0);
        confirm(two, 0);
        assertThat(values(marks())).containsExactly(START + 2);
        assertThat(marks()).isEmpty();
    }

    @Test
    void shouldRepeatItsMarkEveryHalfSecond() {
        start(FIRST, SECOND);
        marks();
        assertThat(core.nextDeadlineNs()).isEqualTo(REPEAT_NS);
        assertThat(marksAfter(REPEAT_NS - 1)).isEmpty();
        List<WriterEffects.Send> marks = marksAfter(1);
        assertThat(peers(marks)).containsExactly(FIRST, SECOND);
        assertThat(values(marks)).containsOnly(START);
        assertThat(core.nextDeadlineNs()).isEqualTo(2 * REPEAT_NS);
    }

    @Test
    void shouldSendNoMarkToAnAggregatorThatTakesNone() {
        core.onUp(FIRST, false, nowNs, effects);
        core.onUp(SECOND, true, nowNs, effects);
        raise();
        List<WriterEffects.Send> marks = marks();
        assertThat(peers(marks)).containsExactly(SECOND);
        assertThat(passingOn(marks)).containsExactly(SECOND);
    }

    @Test
    void shouldHaveAnotherAggregatorPassOnWhenThatOneDiesWithAMarkUnderWay() {
        start(FIRST, SECOND);
        marks();
        confirm(submit(1), 0);
        marks();
        core.onDown(FIRST, nowNs, effects);
        List<WriterEffects.Send> marks = marksAfter(REPEAT_NS);
        assertThat(passingOn(marks)).containsExactly(SECOND);
        marked(marks.get(0), node(0, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
    }

    @Test
    void shouldHaveAnotherAggregatorPassOnWhenThatOneIsSilentForASecond() {
        start(FIRST, SECOND);
        marks().forEach(mark -> marked(mark, node(0, START, START), node(1, START, START)));
        confirm(submit(1), 0);
        assertThat(passingOn(marks())).containsExactly(FIRST);
        assertThat(passingOn(marksAfter(ANSWER_NS_MAX - 1))).as("in time").containsExactly(FIRST);
        assertThat(core.nextDeadlineNs()).isEqualTo(ANSWER_NS_MAX);
        List<WriterEffects.Send> marks = marksAfter(1);
        assertThat(passingOn(marks)).containsExactly(SECOND);
        marked(marks.stream().filter(each -> each.peer() == SECOND).findFirst().orElseThrow(),
                node(0, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
    }

    @Test
    void shouldHaveAnotherAggregatorPassOnTheNextMarkWhenThatOneRefuses() {
        start(FIRST, SECOND);
        List<WriterEffects.Send> marks = marks();
        answer(marks.get(0), Result.newBuilder().setError(Error.newBuilder().setSqlstate("08P01")));
        assertThat(marks()).as("not at once: others may refuse as well").isEmpty();
        assertThat(passingOn(marksAfter(REPEAT_NS))).containsExactly(SECOND);
    }

    @Test
    void shouldHaveTheOnlyAggregatorPassOnAgainWhenItWasSilent() {
        start(FIRST);
        assertThat(passingOn(marks())).containsExactly(FIRST);
        assertThat(passingOn(marksAfter(ANSWER_NS_MAX))).containsExactly(FIRST);
    }

    @Test
    void shouldHaveNoMoreMarksUnderWayThanItMayAndSendTheNewestThen() {
        start(FIRST);
        List<WriterEffects.Send> sent = new ArrayList<>(marks());
        for (long number = 1; number <= 2 * Marks.UNDER_WAY_MAX; number++) {
            confirm(submit(number), 0);
            sent.addAll(marks());
        }
        assertThat(sent).hasSize(Marks.UNDER_WAY_MAX);
        marked(sent.get(0), node(0, START, START));
        assertThat(values(marks())).containsExactly(START + 2 * Marks.UNDER_WAY_MAX);
    }

    @Test
    void shouldRepeatAMarkThatWasNotHandedToItsConnection() {
        start(FIRST);
        marks();
        confirm(submit(1), 0);
        WriterEffects.Send mark = marks().get(0);
        core.onUnsent(FIRST, mark.operation().getHeader().getSequence());
        assertThat(marks()).as("not at once: there is no room").isEmpty();
        assertThat(values(marksAfter(REPEAT_NS))).containsExactly(START + 1);
    }

    @Test
    void shouldSendNoMarkToAnAggregatorThatHasAnotherMap() {
        start(FIRST, SECOND);
        marks();
        WriterEffects.Send update = submit(1);
        effects = new WriterEffects();
        answer(update, Result.newBuilder().setRefused(
                WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_STALE_MAP)));
        assertThat(peers(marksAfter(REPEAT_NS))).hasSize(1).doesNotContain(update.peer());
    }

    @Test
    void shouldSendNoMarkWhileItRaisesItsEpochAgainAndOneAtOnceWhenItHas() {
        start(FIRST);
        marks();
        WriterEffects.Send update = submit(1);
        nowNs += ANSWER_NS_MAX;
        effects = new WriterEffects();
        answer(update, Result.newBuilder().setRefused(
                WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_NEW_INCARNATION)));
        WriterEffects.Send raise = effects.sends().get(0);
        assertThat(marks()).isEmpty();
        effects = new WriterEffects();
        answer(raise, Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(EPOCH + 1)
                .addAccepted(node(0, START, 0)).addAccepted(node(1, START, 0))));
        assertThat(values(marks())).containsExactly(START);
    }
}
