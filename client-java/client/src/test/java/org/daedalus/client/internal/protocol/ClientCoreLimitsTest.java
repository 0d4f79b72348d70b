package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmissionId;
import org.junit.jupiter.api.Test;

/** The core meets something full, foreign or replaced. */
class ClientCoreLimitsTest {
    private static final String A = "a:1";
    private static final String B = "b:1";
    private static final long SECOND = 1_000_000_000L;
    private static final long HINT = 20_000_000L;

    private ClientCore core = new ClientCore(List.of(A, B), true, "");

    private static Request request(boolean mayWrite, long prefixMin, long mapVersion) {
        SubmissionId submission = mayWrite ? SubmissionId.newBuilder().setNumber(1).build() : null;
        return new Request(new Request.Content(OperationKind.OPERATION_KIND_STATEMENT, null, ByteString.EMPTY,
                submission, List.of(), mapVersion, new ReadTerms(prefixMin, ReadTerms.ANY_MOMENT, 0), 0, "", ""), null,
                SECOND);
    }

    private static Request query() {
        return request(false, 0, 0);
    }

    private static Request update() {
        return request(true, 0, 0);
    }

    private static Result end(long sequence) {
        return Result.newBuilder().setSequence(sequence).setEnd(QueryEnd.getDefaultInstance()).build();
    }

    private static Result error(long sequence, ErrorCategory category, String sqlState) {
        return Result.newBuilder().setSequence(sequence).setError(
                Error.newBuilder().setCategory(category).setSqlstate(sqlState).setRetryAfterNs(HINT)).build();
    }

    private static Result full(long sequence) {
        return error(sequence, ErrorCategory.ERROR_CATEGORY_RETRY, "53000");
    }

    private static void nothing(ClientActions actions) {
        assertThat(actions.sends()).isEmpty();
        assertThat(actions.deliveries()).isEmpty();
    }

    private static DaedalusException failure(ClientActions actions) {
        assertThat(actions.sends()).isEmpty();
        assertThat(actions.deliveries()).hasSize(1);
        return actions.deliveries().get(0).failure();
    }

    @Test
    void shouldGiveAnAggregatorNoMoreThanItTakesAndTheRestInOrderAsRoomComes() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        for (int i = 0; i < 2 * ClientCore.PEER_IN_FLIGHT_MAX; i++) {
            assertThat(core.submit(query(), 0).sends()).hasSize(1);
        }
        Request first = query();
        Request second = query();
        nothing(core.submit(first, 0));
        nothing(core.submit(second, 0));
        ClientActions room = core.onResult(2, end(7), 5);
        assertThat(room.sends()).hasSize(1);
        assertThat(room.sends().get(0).peerId()).isEqualTo(2);
        assertThat(room.sends().get(0).request()).isSameAs(first);
        assertThat(core.onResult(1, full(9), 5).sends().get(0).request()).isSameAs(second);
    }

    @Test
    void shouldKeepThousandsOfWaitingRequestsThroughALossAndEndEachOnce() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        List<Request> all = new ArrayList<>();
        for (int i = 0; i < 2 * ClientCore.PEER_IN_FLIGHT_MAX; i++) {
            all.add(query());
            core.submit(all.get(i), 0);
        }
        assertThat(core.onDown(A, 1, "reset", 1).deliveries()).isEmpty();
        ClientActions back = core.onUp(B, 2, Hellos.AGGREGATOR, 2);
        assertThat(back.sends()).hasSize(ClientCore.PEER_IN_FLIGHT_MAX);
        List<Request> ended = new ArrayList<>();
        for (long sequence = 1; sequence <= all.size(); sequence++) {
            core.onResult(2, end(sequence), 3).deliveries().forEach(delivery -> ended.add(delivery.request()));
        }
        assertThat(ended).containsExactlyInAnyOrderElementsOf(all);
        assertThat(core.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldAskAgainLaterAndLaterWhatWasRefusedForWantOfRoom() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.submit(query(), 0);
        long nowNs = 0;
        for (int refusal = 0; refusal < 5; refusal++) {
            nothing(core.onResult(1, full(refusal + 1), nowNs));
            assertThat(core.nextDeadlineNs()).isEqualTo(nowNs + (HINT << refusal));
            nothing(core.onTick(core.nextDeadlineNs() - 1));
            nowNs = core.nextDeadlineNs();
            assertThat(core.onTick(nowNs).sends()).hasSize(1);
        }
        ClientActions last = core.onResult(1, full(6), nowNs); // The next time would be after the deadline.
        assertThat(failure(last).sqlState()).isEqualTo("53000");
        assertThat(core.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldReportRefusalsWhenToldTo() {
        core = new ClientCore(List.of(A), false, "");
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.submit(query(), 0);
        assertThat(failure(core.onResult(1, full(1), 0)).category()).isEqualTo(Category.RETRY);
    }

    @Test
    void shouldNotAskAgainWhatIsWrongOrHasBegunOrMayHaveHappened() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        for (Object[] refusal : new Object[][] {
            {ErrorCategory.ERROR_CATEGORY_REJECTED, "53000", Category.REJECTED},
            {ErrorCategory.ERROR_CATEGORY_UNKNOWN, "53000", Category.UNKNOWN},
            {ErrorCategory.ERROR_CATEGORY_FATAL, "57P01", Category.FATAL},
            {ErrorCategory.ERROR_CATEGORY_UNSPECIFIED, "53000", Category.FATAL},
            {ErrorCategory.ERROR_CATEGORY_RETRY, "08006", Category.RETRY},
            {ErrorCategory.ERROR_CATEGORY_RETRY, "55000", Category.RETRY}}) {
            long sequence = core.submit(update(), 0).sends().get(0).operation().getHeader().getSequence();
            Result result = error(sequence, (ErrorCategory) refusal[0], (String) refusal[1]);
            assertThat(failure(core.onResult(1, result, 0)).category()).isEqualTo(refusal[2]);
        }
        long sequence = core.submit(query(), 0).sends().get(0).operation().getHeader().getSequence();
        core.onResult(1,
                Result.newBuilder().setSequence(sequence).setRows(QueryRows.getDefaultInstance()).build(), 0);
        assertThat(failure(core.onResult(1, full(sequence), 0)).sqlState()).isEqualTo("53000");
    }

    @Test
    void shouldCallAnUpdateThatWasOnlyEverRefusedFailedAndNotUnknown() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.submit(update(), 0);
        core.onResult(1, full(1), 0);
        assertThat(failure(core.close()).category()).isEqualTo(Category.FATAL);
    }

    @Test
    void shouldCallAnUpdateUnknownThatWasRefusedAfterItsConnectionHadBeenLost() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        Descriptions.learnEpoch(core);
        core.submit(update(), 0);
        core.onDown(A, 1, "reset", 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        core.onResult(2, full(1), 0);
        assertThat(failure(core.close()).category()).isEqualTo(Category.UNKNOWN);
    }

    @Test
    void shouldBeFatalOnlyWhenEveryEndpointBelongsToSomebodyElse() {
        core.onDialFailed(A, "cluster id differs", true);
        core.onDialFailed(B, "refused", false);
        assertThat(failure(core.submit(query(), 0)).category()).isEqualTo(Category.RETRY);
        core.onDialFailed(B, "cluster id differs", true);
        DaedalusException failure = failure(core.submit(query(), 0));
        assertThat(failure.category()).isEqualTo(Category.FATAL);
        assertThat(failure.sqlState()).isEqualTo("08004");
        assertThat(failure).hasMessageContaining("a:1: cluster id differs; b:1: cluster id differs");
    }

    @Test
    void shouldEndWhatWasMeantForAClusterThatHasBeenReplaced() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        Descriptions.learnEpoch(core);
        core.submit(update(), 0);
        core.onDown(A, 1, "reset", 0);
        core.submit(update(), 0);
        core.submit(query(), 0);
        core.submit(request(false, 17, 0), 0);
        core.submit(request(true, 0, 3), 0);
        ClientActions replaced = core.onUp(A, 2, Hellos.of("another", "schema"), 0);
        assertThat(replaced.deliveries()).extracting(delivery -> delivery.failure().category())
                .containsExactly(Category.UNKNOWN, Category.FATAL, Category.REJECTED);
        assertThat(replaced.sends()).as("a query and an update that were never sent").hasSize(2);
    }

    @Test
    void shouldEndWhatIsSubmittedAfterTheClose() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        core.close();
        assertThat(failure(core.submit(query(), 0)).category()).isEqualTo(Category.FATAL);
        assertThat(failure(core.submit(update(), 0)).category()).isEqualTo(Category.FATAL);
    }
}
