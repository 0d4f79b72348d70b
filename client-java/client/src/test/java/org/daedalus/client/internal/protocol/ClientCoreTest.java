package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

class ClientCoreTest {
    private static final String A = "a:1";
    private static final String B = "b:1";
    private static final long DEADLINE = 1_000;

    private final ClientCore core = new ClientCore(List.of(A, B), true, "");
    private final Request query = request(OperationKind.OPERATION_KIND_SELECT, false);
    private final Request update = request(OperationKind.OPERATION_KIND_SUBMIT, true);

    private static Request request(OperationKind kind, boolean mayWrite) {
        SubmissionId submission = mayWrite ? SubmissionId.newBuilder().setNumber(1).build() : null;
        return new Request(Request.Content.of(kind, ByteString.EMPTY, submission), null, DEADLINE);
    }

    private static DaedalusException failure(ClientActions actions) {
        assertThat(actions.deliveries()).hasSize(1);
        assertThat(actions.deliveries().get(0).last()).isTrue();
        return actions.deliveries().get(0).failure();
    }

    private static void nothing(ClientActions actions) {
        assertThat(actions.sends()).isEmpty();
        assertThat(actions.deliveries()).isEmpty();
    }

    @Test
    void shouldTakeAggregatorsInTurnWithSequencesOfTheirOwn() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        for (int round = 1; round <= 3; round++) {
            for (long peer = 1; peer <= 2; peer++) {
                Request next = request(OperationKind.OPERATION_KIND_SELECT, false);
                ClientActions.Send send = core.submit(next, 0).sends().get(0);
                assertThat(send.peerId()).isEqualTo(peer);
                assertThat(send.operation().getHeader().getSequence()).isEqualTo(round);
                assertThat(send.operation().getHeader().getRemainingNs()).isEqualTo(DEADLINE);
            }
        }
    }

    @Test
    void shouldHoldRequestsWhileAnyAggregatorMayStillAnswerTheDial() {
        nothing(core.submit(query, 0));
        nothing(core.onDialFailed(A, "refused", false));
        ClientActions up = core.onUp(B, 7, Hellos.AGGREGATOR, 10);
        assertThat(up.sends()).hasSize(1);
        assertThat(up.sends().get(0).operation().getHeader().getRemainingNs()).isEqualTo(DEADLINE - 10);
    }

    @Test
    void shouldFailAtOnceWhenNoAggregatorCanBeReached() {
        nothing(core.submit(query, 0));
        nothing(core.submit(update, 0));
        core.onDialFailed(A, "refused", false);
        ClientActions failed = core.onDialFailed(B, "no route", false);
        assertThat(failed.deliveries()).hasSize(2)
                .allSatisfy(delivery -> assertThat(delivery.failure().category()).isEqualTo(Category.RETRY));
        assertThat(failure(core.submit(request(OperationKind.OPERATION_KIND_SELECT, false), 0)))
                .hasMessage("no aggregator is reachable: a:1: refused; b:1: no route");
        assertThat(core.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldMoveRequestsToAnotherAggregatorWhenTheirsIsLost() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.submit(query, 0);
        core.submit(update, 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        ClientActions moved = core.onDown(A, 1, "reset", 5);
        assertThat(moved.sends()).extracting(ClientActions.Send::peerId).containsExactly(2L, 2L);
        assertThat(moved.deliveries()).isEmpty();
    }

    @Test
    void shouldNotRepeatAQueryWhoseAnswerHasBegun() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        core.submit(query, 0);
        Result rows = Result.newBuilder().setSequence(1).setRows(QueryRows.getDefaultInstance()).build();
        assertThat(core.onResult(1, rows, 0).deliveries()).hasSize(1);
        ClientActions lost = core.onDown(A, 1, "reset", 5);
        assertThat(lost.sends()).isEmpty();
        assertThat(failure(lost).category()).isEqualTo(Category.RETRY);
    }

    @Test
    void shouldKeepASentUpdateUntilItsDeadlineAndCallItUnknownThen() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.onDialFailed(B, "refused", false);
        Descriptions.learnEpoch(core);
        core.submit(update, 0);
        nothing(core.onDown(A, 1, "reset", 5));
        nothing(core.onDialFailed(A, "refused", false));
        nothing(core.onTick(DEADLINE - 1));
        assertThat(failure(core.onTick(DEADLINE)).category()).isEqualTo(Category.UNKNOWN);
        nothing(core.onUp(A, 2, Hellos.AGGREGATOR, DEADLINE + 1));
    }

    @Test
    void shouldAbortAQueryAtItsDeadlineAndIgnoreItsLateAnswer() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.submit(query, 0);
        assertThat(core.nextDeadlineNs()).isEqualTo(DEADLINE);
        ClientActions expired = core.onTick(DEADLINE);
        assertThat(expired.sends().get(0).operation().getHeader().getKind())
                .isEqualTo(OperationKind.OPERATION_KIND_ABORT);
        assertThat(expired.sends().get(0).operation().getHeader().getSequence()).isEqualTo(2);
        assertThat(failure(expired).category()).isEqualTo(Category.RETRY);
        nothing(core.onResult(1, Result.newBuilder().setSequence(1).setEnd(QueryEnd.getDefaultInstance()).build(), 0));
    }

    @Test
    void shouldEndEveryRequestOnce() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.submit(query, 0);
        core.submit(update, 0);
        assertThat(core.close().deliveries()).extracting(delivery -> delivery.failure().category())
                .containsExactly(Category.FATAL, Category.UNKNOWN);
        nothing(core.close());
        nothing(core.onDown(A, 1, "reset", 5));
        nothing(core.abort(query, new DaedalusException(Category.RETRY, "57014", "aborted"), 9));
    }

    @Test
    void shouldSayWhatARefusedUpdateMeans() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.submit(update, 0);
        ClientActions refused = core.onResult(1, Result.newBuilder().setSequence(1).setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_OVERLOADED).setRetryAfterNs(5_000_000)).build(), 0);
        assertThat(failure(refused).category()).isEqualTo(Category.RETRY);
        assertThat(failure(refused).retryAfter()).hasMillis(5);
    }
}
