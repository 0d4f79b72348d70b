package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Held;
import org.daedalus.wire.v1.HoldBody;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.Result;
import org.junit.jupiter.api.Test;

/** A client holds moments at one aggregator, and at the next one when that is lost. */
class MomentHoldsTest {
    private static final String A = "a:1";
    private static final String B = "b:1";
    private static final long DEADLINE = 1_000;

    private final ClientCore core = new ClientCore(List.of(A, B), true, "");
    private final MomentHolds holds = core.holds();

    private static Request take() {
        return take(DEADLINE);
    }

    private static Request take(long deadlineNs) {
        return new Request(Request.Content.of(OperationKind.OPERATION_KIND_HOLD, ByteString.EMPTY, null), null,
                deadlineNs);
    }

    private static List<Long> moments(ClientActions.Send send) {
        assertThat(send.operation().getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_HOLD);
        try {
            return HoldBody.parseFrom(send.operation().getBody()).getMomentsList();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private ClientActions answer(ClientActions.Send send, Result.Builder result) {
        ArrivedResult arrived = ArrivedResult.of(
                result.setSequence(send.operation().getHeader().getSequence()).build());
        assertThat(holds.isAnswer(send.peerId(), arrived)).isTrue();
        return holds.onResult(arrived, 0);
    }

    private ClientActions held(ClientActions.Send send, long moment) {
        return answer(send, Result.newBuilder().setHeld(Held.newBuilder().setOldest(moment)));
    }

    private ClientActions refuse(ClientActions.Send send, String sqlState) {
        return answer(send, Result.newBuilder().setError(Error.newBuilder().setSqlstate(sqlState)
                .setCategory(ErrorCategory.ERROR_CATEGORY_RETRY)));
    }

    private static ClientActions.Send only(ClientActions actions) {
        assertThat(actions.sends()).hasSize(1);
        return actions.sends().get(0);
    }

    private static void nothing(ClientActions actions) {
        assertThat(actions.sends()).isEmpty();
        assertThat(actions.deliveries()).isEmpty();
    }

    private void connect() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        core.onUp(B, 2, Hellos.KNOWS_MOMENTS, 0);
    }

    @Test
    void shouldTakeANewMomentBesideThoseThatItHolds() {
        connect();
        Request first = take();
        ClientActions.Send asked = only(holds.take(first, 0));
        assertThat(moments(asked)).containsExactly(0L);
        assertThat(asked.operation().getHeader().getRemainingNs()).isEqualTo(DEADLINE);
        ClientActions told = held(asked, 70);
        assertThat(told.sends()).as("the aggregator knows").isEmpty();
        assertThat(told.deliveries().get(0).request()).isSameAs(first);
        assertThat(told.deliveries().get(0).result().message().getHeld().getOldest()).isEqualTo(70);
        assertThat(told.deliveries().get(0).last()).isTrue();
        assertThat(moments(only(holds.take(take(), 0)))).containsExactly(70L, 0L);
    }

    @Test
    void shouldDemandWhatItHasSeenOfANewMoment() {
        connect();
        Request query = new Request(Request.Content.of(OperationKind.OPERATION_KIND_SELECT, ByteString.EMPTY, null),
                null, DEADLINE);
        ClientActions.Send sent = core.submit(query, 0).sends().get(0);
        core.onResult(sent.peerId(), Result.newBuilder().setSequence(1).setEnd(QueryEnd.newBuilder().setMoment(70))
                .build(), 0);
        assertThat(only(holds.take(take(), 0)).operation().getHeader().getPrefixMin()).isEqualTo(70);
    }

    @Test
    void shouldHaveOneHoldUnderWayAtATime() {
        connect();
        ClientActions.Send first = only(holds.take(take(), 0));
        nothing(holds.take(take(), 0));
        ClientActions next = held(first, 70);
        assertThat(moments(only(next))).containsExactly(70L, 0L);
        ClientActions last = held(next.sends().get(0), 75);
        assertThat(last.deliveries()).hasSize(1);
        assertThat(last.sends()).isEmpty();
    }

    @Test
    void shouldLetAMomentGoWhenNobodyHoldsItAnyMore() {
        connect();
        held(only(holds.take(take(), 0)), 70);
        held(only(holds.take(take(), 0)), 70);
        nothing(holds.release(70, 0));
        ClientActions.Send last = only(holds.release(70, 0));
        assertThat(moments(last)).isEmpty();
        nothing(answer(last, Result.newBuilder().setHeld(Held.getDefaultInstance())));
        nothing(holds.release(70, 0));
    }

    @Test
    void shouldTellTheNextAggregatorAtOnceWhenItsOwnIsLost() {
        connect();
        held(only(holds.take(take(), 0)), 70);
        core.onDown(B, 2, "reset", 0);
        nothing(holds.onDown(2, 0));
        core.onUp(B, 3, Hellos.KNOWS_MOMENTS, 0);
        nothing(holds.step(0));
        core.onDown(A, 1, "reset", 0);
        ClientActions.Send again = only(holds.onDown(1, 0));
        assertThat(again.peerId()).isEqualTo(3);
        assertThat(moments(again)).containsExactly(70L);
        core.onDown(B, 3, "reset", 0);
        nothing(holds.onDown(3, 0));
        core.onUp(A, 4, Hellos.KNOWS_MOMENTS, 0);
        assertThat(moments(only(holds.step(0)))).containsExactly(70L);
    }

    @Test
    void shouldAskTheNextAggregatorForTheMomentWhenItsOwnIsLostBeforeItAnswered() {
        connect();
        holds.take(take(), 0);
        core.onDown(A, 1, "reset", 0);
        ClientActions.Send again = only(holds.onDown(1, 0));
        assertThat(again.peerId()).isEqualTo(2);
        assertThat(held(again, 70).deliveries()).hasSize(1);
    }

    @Test
    void shouldEndARequestAtItsDeadlineAndLetGoWhatItWasGivenLater() {
        connect();
        ClientActions.Send asked = only(holds.take(take(), 0));
        assertThat(holds.nextDeadlineNs()).isEqualTo(DEADLINE);
        ClientActions expired = holds.onTick(DEADLINE);
        assertThat(expired.deliveries().get(0).failure().sqlState()).isEqualTo("57014");
        assertThat(holds.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        ClientActions late = held(asked, 70);
        assertThat(late.deliveries()).isEmpty();
        assertThat(moments(only(late))).as("nobody wants it").isEmpty();
    }

    @Test
    void shouldSayWhyAMomentIsNotHeld() {
        connect();
        ClientActions refused = refuse(only(holds.take(take(), 0)), "08006");
        assertThat(refused.deliveries().get(0).failure().sqlState()).isEqualTo("08006");
        assertThat(refused.deliveries().get(0).last()).isTrue();
        assertThat(moments(only(refused))).as("whatever it holds is let go").isEmpty();
    }

    @Test
    void shouldSayAgainWhatIsHeldWhenThatWasRefusedAndNobodyWaitsForIt() {
        connect();
        held(only(holds.take(take(), 0)), 70);
        core.onDown(A, 1, "reset", 0);
        nothing(refuse(only(holds.onDown(1, 0)), "08006"));
        assertThat(holds.nextDeadlineNs()).isEqualTo(MomentHolds.REPEAT_NS);
        nothing(holds.onTick(MomentHolds.REPEAT_NS - 1));
        assertThat(moments(only(holds.onTick(MomentHolds.REPEAT_NS)))).containsExactly(70L);
    }

    @Test
    void shouldHoldNothingAtAggregatorsThatDoNotKnowMoments() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        ClientActions refused = holds.take(take(), 0);
        assertThat(refused.sends()).isEmpty();
        assertThat(refused.deliveries().get(0).failure().sqlState()).isEqualTo("0A000");
        core.onUp(B, 2, Hellos.KNOWS_MOMENTS, 0);
        assertThat(only(holds.take(take(), 0)).peerId()).isEqualTo(2);
    }

    @Test
    void shouldWaitForAFirstConnectionUntilNoneCanBeMade() {
        nothing(holds.take(take(), 0));
        core.onDialFailed(A, "refused", false);
        nothing(holds.step(0));
        core.onDialFailed(B, "refused", false);
        ClientActions failed = holds.step(0);
        assertThat(failed.deliveries().get(0).failure().sqlState()).isEqualTo("08001");
    }

    @Test
    void shouldEndEveryRequestWhenTheClientIsClosed() {
        connect();
        holds.take(take(), 0);
        holds.take(take(), 0);
        assertThat(holds.close().deliveries()).hasSize(2)
                .allSatisfy(each -> assertThat(each.failure().category()).isEqualTo(Category.FATAL));
        nothing(holds.close());
    }
}
