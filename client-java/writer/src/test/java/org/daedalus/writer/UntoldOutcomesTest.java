package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

/** The writer tells an outcome only when every node with a part in it knows of it. */
class UntoldOutcomesTest extends WriterOfTwoNodes {
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
    void shouldNotForgetWhatANodeHasSaidWhenAnOlderAnswerComesLater() {
        start(FIRST);
        List<WriterEffects.Send> marks = new ArrayList<>(marks());
        WriterEffects.Send one = submit(1);
        confirm(submit(2), 0);
        confirm(one, 1);
        marks.addAll(marks());
        marked(marks.get(1), node(0, START + 2, START + 2));
        assertThat(told()).as("the first one waits for node 1").isEmpty();
        marked(marks.get(0), node(0, START, START), node(1, START + 2, START + 2));
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

    @Test
    void shouldTellNoOutcomeThatItHasGivenUp() {
        start(FIRST);
        marks();
        confirm(submit(1), 0);
        WriterEffects.Send mark = marks().get(0);
        WriterEffects.Send open = submit(2);
        effects = new WriterEffects();
        answer(open, Result.newBuilder().setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_STALE_EPOCH).setEpoch(EPOCH + 1).setHolder("other")));
        assertThat(effects.outcomes()).extracting(outcome -> outcome.submission().number()).containsExactly(1L, 2L);
        marked(mark, node(0, START + 1, START + 1));
        assertThat(effects.outcomes()).as("whoever waited has been told that nobody knows it").isEmpty();
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
    void shouldNotTellARepetitionAheadOfAnEarlierOutcome() {
        start(FIRST);
        marks();
        WriterEffects.Send one = submit(1);
        confirm(submit(2), 0);
        confirm(one, 1);
        marked(marks().get(0), node(0, START + 2, START + 2));
        effects = new WriterEffects();
        assertThat(core.submit(repeated(2), ByteString.EMPTY, List.of(), 1, effects)).isNull();
        assertThat(told()).as("the first one waits for node 1").isEmpty();
        marked(marksAfter(REPEAT_NS).get(0), node(1, START + 2, START + 2));
        assertThat(told()).containsExactly(START + 1, START + 2);
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
}
