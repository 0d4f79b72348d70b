package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

/** The writer sends its mark to every aggregator, one of which passes it on. */
class WriterMarksTest extends WriterOfTwoNodes {
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
    void shouldKeepTheOneThatPassesOnWhenAnotherAggregatorRefuses() {
        start(FIRST, SECOND, THIRD);
        List<WriterEffects.Send> marks = marks();
        assertThat(passingOn(marks)).containsExactly(FIRST);
        answer(marks.get(1), Result.newBuilder().setError(Error.newBuilder().setSqlstate("08P01")));
        assertThat(passingOn(marksAfter(REPEAT_NS))).containsExactly(FIRST);
    }

    @Test
    void shouldHaveTheOnlyAggregatorPassOnAgainWhenItWasSilent() {
        start(FIRST);
        assertThat(passingOn(marks())).containsExactly(FIRST);
        assertThat(passingOn(marksAfter(ANSWER_NS_MAX))).containsExactly(FIRST);
        assertThat(marks()).as("it has a second again").isEmpty();
        assertThat(core.nextDeadlineNs()).isEqualTo(ANSWER_NS_MAX + REPEAT_NS);
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
    void shouldLearnFromAnAnswerOfAnAggregatorThatTakesNoMarksAnyMore() {
        start(FIRST);
        marks();
        confirm(submit(1), 0);
        WriterEffects.Send mark = marks().get(0);
        WriterEffects.Send update = submit(2);
        effects = new WriterEffects();
        answer(update, Result.newBuilder().setRefused(
                WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_STALE_MAP)));
        core.onUp(SECOND, true, nowNs, effects);
        marked(mark, node(0, START + 1, START + 1));
        assertThat(told()).containsExactly(START + 1);
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
