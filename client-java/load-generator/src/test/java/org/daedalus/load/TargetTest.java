package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.RefusedRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.RowRefusal;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.Test;

/** How a real client's answers are booked. */
class TargetTest {
    private static final SqlStatement QUERY = new SqlStatement("SELECT rloc FROM bookings", List.of());
    private static final SqlStatement UPDATE = new SqlStatement("DELETE FROM bookings", List.of());
    private static final BiConsumer<FakeAggregator, Operation> SILENT = (fake, operation) -> { };
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    private static Interval booked(BiConsumer<FakeAggregator, Operation> behaviour, boolean isUpdate,
            Duration deadline) throws Exception {
        Tally tally = new Tally(0);
        CompletableFuture<Ending> ended = new CompletableFuture<>();
        try (FakeAggregator fake = new FakeAggregator(behaviour);
                DaedalusClient client = DaedalusClient.builder().aggregators(fake.endpoint()).requestTimeout(LONG)
                        .build()) {
            client.await(client.describe());
            Target target = isUpdate ? Target.updates(client, deadline) : Target.queries(client, deadline);
            new Sender(target, () -> isUpdate ? UPDATE : QUERY, Clock.SYSTEM)
                    .send(System.nanoTime(), tally, ended::complete);
            Ending ending = ended.get(LONG.toSeconds(), TimeUnit.SECONDS);
            Interval interval = tally.cut(System.nanoTime());
            assertThat(interval.endings()).containsOnly(java.util.Map.entry(ending, 1L));
            return interval;
        }
    }

    private static BiConsumer<FakeAggregator, Operation> confirming(long applied, long refused) {
        return (fake, operation) -> {
            PartitionOutcome.Builder outcome = PartitionOutcome.newBuilder().setRowsMatched(applied + refused)
                    .setRowsApplied(applied).addRefused(RefusedRows.newBuilder().setRowCount(refused)
                            .setReason(RowRefusal.ROW_REFUSAL_OVERFLOW));
            fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().addOutcomes(outcome)));
        };
    }

    @Test
    void shouldBookRowsOfAnswersAndOfUpdates() throws Exception {
        assertThat(booked((fake, operation) -> {
            fake.answerRows(operation, new Object[] {"ABC", 1}, new Object[] {"DEF", 2});
            fake.answerEnd(operation, 2);
        }, false, LONG).rows()).isEqualTo(2);
        Interval update = booked(confirming(3, 0), true, LONG);
        assertThat(update.answered()).isOne();
        assertThat(update.rows()).isEqualTo(3);
    }

    @Test
    void shouldCallAQueryBeyondItsDeadlineExpiredAndAnUpdateThatLeftUnknown() throws Exception {
        assertThat(booked(SILENT, false, SHORT).expired()).isOne();
        assertThat(booked(SILENT, true, SHORT).unknown()).isOne();
    }

    @Test
    void shouldCallAnUpdateThatRefusedRowsFailed() throws Exception {
        assertThat(booked(confirming(3, 1), true, LONG).failed()).isOne();
    }
}
