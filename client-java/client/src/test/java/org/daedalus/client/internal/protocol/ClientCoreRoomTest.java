package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.internal.statements.ParameterBytes;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

/** That whatever ends, by whichever way, leaves its room to others at once: at its connection and at the writer. */
class ClientCoreRoomTest {
    private static final String A = "a:1";
    private static final long FOR_EVER = Long.MAX_VALUE / 2;
    private static final long REPEAT_AFTER_NS = 10_000_000L;

    private final ClientCore core = new ClientCore(List.of(A), true, "");
    /** Sequences of updates that the writer has not answered, oldest first. */
    private final Deque<Long> underWay = new ArrayDeque<>();

    private static Request query(long deadlineNs) {
        return request(null, deadlineNs);
    }

    private static Request update() {
        return request(SubmissionId.newBuilder().setNumber(1).build(), FOR_EVER);
    }

    private static Request request(SubmissionId submission, long deadlineNs) {
        return new Request(Request.Content.of(OperationKind.OPERATION_KIND_SELECT, ByteString.EMPTY, submission), null,
                deadlineNs);
    }

    private static Result full(long sequence, long retryAfterNs) {
        return full(sequence, retryAfterNs, "");
    }

    private static Result full(long sequence, long retryAfterNs, String message) {
        return Result.newBuilder().setSequence(sequence).setError(Error.newBuilder()
                .setCategory(ErrorCategory.ERROR_CATEGORY_RETRY).setSqlstate("53400").setMessage(message)
                .setRetryAfterNs(retryAfterNs)).build();
    }

    private static Result end(long sequence) {
        return Result.newBuilder().setSequence(sequence).setEnd(QueryEnd.getDefaultInstance()).build();
    }

    private static long sequence(ClientActions.Send send) {
        return send.operation().getHeader().getSequence();
    }

    private void take(ClientActions actions) {
        actions.sends().forEach(send -> underWay.add(sequence(send)));
    }

    private void submitUpdates(int count) {
        for (int update = 0; update < count; update++) {
            take(core.submit(update(), 0));
        }
    }

    private void confirm(int count) {
        for (int update = 0; update < count; update++) {
            take(core.onResult(1, Result.newBuilder().setSequence(underWay.remove())
                    .setConfirmed(WriteConfirmed.newBuilder().setTimestamp(1)).build(), 0));
        }
    }

    /** All that the connection takes; of those the first is returned, which ends at {@code deadlineNs}. */
    private Request fill(long deadlineNs) {
        Request first = query(deadlineNs);
        core.submit(first, 0);
        for (int more = 1; more < ClientCore.PEER_IN_FLIGHT_MAX; more++) {
            assertThat(core.submit(query(FOR_EVER), 0).sends()).hasSize(1);
        }
        return first;
    }

    @Test
    void shouldBeDecidedOnceThereIsAConnectionOrThereCanBeNone() {
        assertThat(core.isDecided()).isFalse();
        core.onDialFailed(A, "refused", false);
        assertThat(core.isDecided()).isTrue();
        ClientCore other = new ClientCore(List.of(A, "b:1"), true, "");
        other.onDialFailed(A, "refused", false);
        assertThat(other.isDecided()).isFalse();
        other.onUp("b:1", 1, Hellos.AGGREGATOR, 0);
        assertThat(other.isDecided()).isTrue();
    }

    @Test
    void shouldNotSendWhatIsSubmittedAtItsDeadline() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        assertThat(core.submit(query(8), 7).sends()).hasSize(1);
        ClientActions late = core.submit(query(7), 7);
        assertThat(late.sends()).isEmpty();
        assertThat(late.deliveries().get(0).failure().sqlState()).isEqualTo("57014");
    }

    @Test
    void shouldSayWhyItRepeatedWhatWasNotAnsweredWithinItsDeadline() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        long deadlineNs = 4 * REPEAT_AFTER_NS;
        long sequence = sequence(core.submit(query(deadlineNs), 0).sends().get(0));
        for (String words : List.of("too many queries", "others have the memory")) {
            core.onResult(1, full(sequence, 0, words), 0);
            sequence = sequence(core.onTick(core.nextDeadlineNs()).sends().get(0));
        }
        DaedalusException failure = core.onTick(deadlineNs).deliveries().get(0).failure();
        assertThat(failure.sqlState()).isEqualTo("57014");
        assertThat(failure.category()).isEqualTo(Category.RETRY);
        assertThat(failure.getMessage()).endsWith("refused with 53400: others have the memory");
    }

    @Test
    void shouldTellTheAggregatorOfAnAbortAndSendWhatWaited() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        Request first = fill(FOR_EVER);
        Request waiting = query(FOR_EVER);
        assertThat(core.submit(waiting, 0).sends()).isEmpty();
        ClientActions aborted = core.abort(first, new DaedalusException(Category.RETRY, "57014", "not wanted"), 0);
        assertThat(aborted.sends()).hasSize(2);
        assertThat(aborted.sends().get(0).operation().getHeader().getKind())
                .isEqualTo(OperationKind.OPERATION_KIND_ABORT);
        assertThat(aborted.sends().get(1).request()).isSameAs(waiting);
    }

    @Test
    void shouldAbortAnAnswerThatCannotBeReadAndSendWhatWaited() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        fill(FOR_EVER);
        Request waiting = query(FOR_EVER);
        core.submit(waiting, 0);
        ClientActions ended = core.onResult(1, Result.newBuilder().setSequence(1)
                .setRows(QueryRows.newBuilder().addColumns(Column.newBuilder().setName("typeless"))).build(), 0);
        assertThat(ended.deliveries().get(0).failure().sqlState()).isEqualTo("08P01");
        assertThat(ended.sends().get(0).operation().getHeader().getKind())
                .isEqualTo(OperationKind.OPERATION_KIND_ABORT);
        assertThat(ended.sends().get(1).request()).isSameAs(waiting);
    }

    @Test
    void shouldSendWhatWaitedWhenADeadlineMakesRoom() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        fill(5);
        Request waiting = query(FOR_EVER);
        core.submit(waiting, 0);
        assertThat(core.onTick(5).sends()).extracting(ClientActions.Send::request).contains(waiting);
    }

    @Test
    void shouldTakeTheNextAggregatorInTurnThatHasRoom() {
        ClientCore three = new ClientCore(List.of(A, "b:1", "c:1"), true, "");
        three.onUp("b:1", 2, Hellos.AGGREGATOR, 0);
        for (int each = 0; each < ClientCore.PEER_IN_FLIGHT_MAX; each++) {
            three.submit(query(FOR_EVER), 0);
        }
        three.onUp(A, 1, Hellos.AGGREGATOR, 0);
        three.onUp("c:1", 3, Hellos.AGGREGATOR, 0);
        List<Long> taken = new ArrayList<>();
        for (int each = 0; each < 4; each++) {
            taken.add(three.submit(query(FOR_EVER), 0).sends().get(0).peerId());
        }
        assertThat(taken).containsExactly(3L, 1L, 3L, 1L);
    }

    @Test
    void shouldHaveRoomAtTheWriterAgainOnceWhatALostConnectionCarriedIsConfirmed() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        submitUpdates(UpdateWindow.SIZE_AT_FIRST);
        core.onDown(A, 1, "reset", 0);
        underWay.clear();
        take(core.onUp(A, 1, Hellos.AGGREGATOR, 0));
        confirm(UpdateWindow.SIZE_AT_FIRST);
        assertThat(core.submit(update(), 0).sends()).hasSize(1);
    }

    @Test
    void shouldHaveRoomAtTheWriterAgainAfterRefusalsOfStaleSubmissions() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        for (int update = 0; update < UpdateWindow.SIZE_AT_FIRST; update++) {
            submitUpdates(1);
            WriteRefused.Builder stale =
                    WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_STALE_SUBMISSION);
            take(core.onResult(1, Result.newBuilder().setSequence(underWay.remove()).setRefused(stale).build(), 0));
            confirm(1);
        }
        assertThat(core.submit(update(), 0).sends()).hasSize(1);
    }

    /** Each of so many in the window that is confirmed while others wait makes it larger by one over its size. */
    @Test
    void shouldGrowTheWindowOnlyWhileUpdatesWaitForRoom() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        submitUpdates(8);
        core.onResult(1, full(underWay.remove(), 0), 0);
        confirm(7);
        take(core.onTick(REPEAT_AFTER_NS));
        for (int alone = 0; alone < 100; alone++) {
            confirm(underWay.size());
            submitUpdates(1);
        }
        confirm(underWay.size());
        submitUpdates(100);
        assertThat(underWay).as("nobody waited when the others were confirmed").hasSize(4);
        confirm(30);
        assertThat(underWay).hasSizeBetween(7, 9);
    }

    @Test
    void shouldAskAgainInTheOrderOfTheirTimes() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        Request[] queries = {query(FOR_EVER), query(FOR_EVER), query(FOR_EVER)};
        long[] retryAfterNs = {5 * REPEAT_AFTER_NS, REPEAT_AFTER_NS, REPEAT_AFTER_NS};
        for (int each = 0; each < queries.length; each++) {
            long sequence = sequence(core.submit(queries[each], 0).sends().get(0));
            core.onResult(1, full(sequence, retryAfterNs[each]), 0);
        }
        assertThat(core.nextDeadlineNs()).isEqualTo(REPEAT_AFTER_NS);
        assertThat(core.onTick(REPEAT_AFTER_NS).sends()).extracting(ClientActions.Send::request)
                .containsExactly(queries[1], queries[2]);
    }

    @Test
    void shouldNotWaitForARepetitionAtTheDeadline() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        for (long deadlineNs : new long[] {REPEAT_AFTER_NS, REPEAT_AFTER_NS + 1}) {
            long sequence = sequence(core.submit(query(deadlineNs), 0).sends().get(0));
            assertThat(core.onResult(1, full(sequence, 0), 0).deliveries())
                    .hasSize(deadlineNs == REPEAT_AFTER_NS ? 1 : 0);
        }
    }

    @Test
    void shouldEndInAnErrorWhatEndsInAnythingElse() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        long sequence = sequence(core.submit(query(FOR_EVER), 0).sends().get(0));
        ClientActions ended = core.onResult(1, Result.newBuilder().setSequence(sequence).build(), 0);
        assertThat(ended.deliveries().get(0).failure().sqlState()).isEqualTo("08P01");
    }

    @Test
    void shouldIgnoreTheLossOfAPeerThatWasNeverUsed() {
        ClientActions lost = core.onDown(A, 9, "reset", 0);
        assertThat(lost.sends()).isEmpty();
        assertThat(lost.deliveries()).isEmpty();
    }

    /** A statement that is sent whole after a definition was refused takes the room of one handle, not of two. */
    @Test
    void shouldTakeBackWhatRestedOnADefinitionThatWasRefused() {
        Hello handles = Hellos.AGGREGATOR.toBuilder().setShapeHandlesMax(10).setShapeBytesMax(10_000).build();
        core.onUp(A, 1, handles, 0);
        ClientActions.Send used = core.submit(statement("one $1"), 0).sends().get(0);
        core.onResult(1, end(sequence(used)), 0);
        ClientActions.Send tooLarge = core.submit(statement("one $1"), 0).sends().get(0);
        assertThat(core.onSendRefused(tooLarge.request(), true, 0).deliveries().get(0).failure().sqlState())
                .as("the handles are sound").isEqualTo("54000");
        ClientActions.Send defines = core.submit(statement("two $1"), 0).sends().get(0);
        assertThat(core.onSendRefused(defines.request(), false, 0).deliveries()).isEmpty();
        assertThat(core.onTick(0).sends()).hasSize(1);
        assertThat(defines.handles().size()).as("definitions that are kept").isZero();
        for (int more = 1; more < ClientCore.PEER_IN_FLIGHT_MAX; more++) {
            assertThat(core.submit(query(FOR_EVER), 0).sends()).hasSize(1);
        }
        assertThat(core.submit(query(FOR_EVER), 0).sends()).isEmpty();
    }

    private static Request statement(String sql) {
        return new Request(Request.Content.ofStatement(new StatementText(sql), ParameterBytes.of(7), null), null,
                FOR_EVER);
    }
}
