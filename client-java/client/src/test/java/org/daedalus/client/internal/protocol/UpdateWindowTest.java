package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Updates are under way in numbers that writers with more and less room take. */
class UpdateWindowTest {
    private static final long DEADLINE = Long.MAX_VALUE / 2;
    private static final long SECOND = 1_000_000_000L;

    /** A writer with room for so many updates, which it confirms one after the other. */
    private static final class Writer {
        private final int room;
        private final Deque<Long> kept = new ArrayDeque<>();
        private final Deque<Long> refused = new ArrayDeque<>();
        private int sendings;

        Writer(int room) {
            this.room = room;
        }

        void take(ClientActions actions) {
            for (ClientActions.Send send : actions.sends()) {
                sendings++;
                long sequence = send.operation().getHeader().getSequence();
                (kept.size() < room ? kept : refused).add(sequence);
            }
        }
    }

    private ClientCore core = new ClientCore(List.of("a:1"), true, "");
    private final List<Request> confirmed = new ArrayList<>();

    @BeforeEach
    void connect() {
        core.onUp("a:1", 1, Hellos.AGGREGATOR, 0);
    }

    private static Request update() {
        return request(SubmissionId.newBuilder().setNumber(1).build());
    }

    private static Request request(SubmissionId submission) {
        return new Request(Request.Content.of(OperationKind.OPERATION_KIND_SUBMIT, ByteString.EMPTY, submission), null,
                DEADLINE);
    }

    private static Result full(long sequence) {
        return Result.newBuilder().setSequence(sequence).setError(
                Error.newBuilder().setCategory(ErrorCategory.ERROR_CATEGORY_RETRY).setSqlstate("53400")).build();
    }

    private void deliver(ClientActions actions, Writer writer) {
        writer.take(actions);
        for (ClientActions.Delivery delivery : actions.deliveries()) {
            assertThat(delivery.failure()).isNull();
            confirmed.add(delivery.request());
        }
    }

    /** Submits all at once, then lets the writer refuse and confirm until all are in; a refusal comes at once. */
    private void submitAll(int count, Writer writer) {
        for (int i = 0; i < count; i++) {
            deliver(core.submit(update(), 0), writer);
        }
        long nowNs = 0;
        while (confirmed.size() < count) {
            nowNs = Math.max(nowNs + 1_000, writer.kept.isEmpty() ? core.nextDeadlineNs() : 0);
            deliver(core.onTick(nowNs), writer);
            while (!writer.refused.isEmpty()) {
                deliver(core.onResult(1, full(writer.refused.poll()), nowNs), writer);
            }
            if (!writer.kept.isEmpty()) {
                deliver(core.onResult(1, Result.newBuilder().setSequence(writer.kept.poll())
                        .setConfirmed(WriteConfirmed.newBuilder().setTimestamp(1)).build(), nowNs), writer);
            }
        }
    }

    @Test
    void shouldSendNothingTwiceToAWriterWithTheUsualRoom() {
        Writer writer = new Writer(UpdateWindow.SIZE_AT_FIRST);
        submitAll(5_000, writer);
        assertThat(writer.sendings).isLessThan(5_000 + 50);
        assertThat(confirmed).doesNotHaveDuplicates();
    }

    @Test
    void shouldSendLittleTwiceToAWriterWithLittleRoom() {
        for (int room : new int[] {4, 100, 1_000}) {
            confirmed.clear();
            core = new ClientCore(List.of("a:1"), true, "");
            connect();
            Writer writer = new Writer(room);
            submitAll(5_000, writer);
            assertThat(writer.sendings).as("room for %d", room).isLessThan(2 * 5_000);
        }
    }

    @Test
    void shouldLetQueriesPassUpdatesThatWait() {
        Writer writer = new Writer(UpdateWindow.SIZE_AT_FIRST);
        for (int i = 0; i < 2_000; i++) {
            writer.take(core.submit(update(), 0));
        }
        assertThat(writer.sendings).isEqualTo(UpdateWindow.SIZE_AT_FIRST);
        assertThat(core.submit(request(null), 0).sends()).hasSize(1);
    }

    @Test
    void shouldSayThatNothingHappenedToAnUpdateThatWaitedForRoomUntilItsDeadline() {
        for (int i = 0; i < UpdateWindow.SIZE_AT_FIRST; i++) {
            core.submit(update(), 0);
        }
        Request late = new Request(Request.Content.of(OperationKind.OPERATION_KIND_SUBMIT, ByteString.EMPTY,
                SubmissionId.newBuilder().setNumber(1).build()), null, SECOND);
        assertThat(core.submit(late, 0).sends()).isEmpty();
        ClientActions ended = core.onTick(SECOND);
        assertThat(ended.deliveries()).hasSize(1);
        assertThat(ended.deliveries().get(0).failure().category()).isEqualTo(DaedalusException.Category.RETRY);
    }

    @Test
    void shouldTryAgainWhatFoundNoRoomInItsConnection() {
        Request update = update();
        core.submit(update, 0);
        assertThat(core.onSendRefused(update, false, 0).deliveries()).isEmpty();
        assertThat(core.onTick(core.nextDeadlineNs()).sends()).hasSize(1);
    }

    @Test
    void shouldHoldNothingBackFromWhoeverWantsToHearOfRefusals() {
        core = new ClientCore(List.of("a:1"), false, "");
        connect();
        Writer writer = new Writer(Integer.MAX_VALUE);
        for (int i = 0; i < 2_000; i++) {
            writer.take(core.submit(update(), 0));
        }
        assertThat(writer.sendings).isEqualTo(2_000);
    }

    @Test
    void shouldHaveRoomAgainForWhatALostConnectionCarried() {
        Writer writer = new Writer(Integer.MAX_VALUE);
        for (int i = 0; i < 2_000; i++) {
            core.submit(update(), 0);
        }
        core.onDown("a:1", 1, "reset", 0);
        writer.take(core.onUp("a:1", 2, Hellos.AGGREGATOR, 0));
        assertThat(writer.sendings).isEqualTo(UpdateWindow.SIZE_AT_FIRST);
    }
}
