package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Operation;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.Test;

class LoopsTest {
    private static final Supplier<SqlStatement> QUERIES =
            () -> new SqlStatement("SELECT rloc FROM bookings", List.of());
    private static final long STALL_NS = 300_000_000;

    @Test
    void shouldCountLatencyFromWhenTheQueryWasDueEvenWhileTheClusterStalls() throws Exception {
        AtomicLong stalledSinceNs = new AtomicLong();
        List<Operation> held = new ArrayList<>();
        try (FakeAggregator aggregator = new FakeAggregator((fake, operation) -> {
            stalledSinceNs.compareAndSet(0, System.nanoTime());
            held.add(operation);
            if (System.nanoTime() - stalledSinceNs.get() > STALL_NS) { // Answers all of them at once, late.
                held.forEach(each -> answerNothing(fake, each));
                held.clear();
            }
        }); DaedalusClient client = client(aggregator)) {
            OpenLoop.Outcome outcome = new OpenLoop(client, QUERIES, interval -> { }).run(new OpenLoop.Plan(
                    1_000, Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), 1));
            Interval total = outcome.report().total();
            assertThat(outcome.offered()).isBetween(800L, 1_200L);
            assertThat(total.answered() + outcome.unanswered()).isEqualTo(outcome.offered());
            assertThat(total.latencyMaxMs()).isGreaterThan(250);
            // Those that were due during the stall waited for the rest of it: not one late answer, but hundreds.
            assertThat(total.latency().getCountBetweenValues(100_000, 10_000_000)).isGreaterThan(100);
        }
    }

    @Test
    void shouldCountFailuresApartFromAnswers() throws Exception {
        AtomicInteger number = new AtomicInteger();
        try (FakeAggregator aggregator = new FakeAggregator((fake, operation) -> {
            switch (number.getAndIncrement() % 3) {
                case 0 -> fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_FATAL, "XX000", "broken");
                case 1 -> fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_REJECTED, "42703", "wrong");
                default -> {
                    fake.answerRows(operation, new Object[] {"ABC", 1}, new Object[] {"DEF", 2});
                    fake.answerEnd(operation, 2);
                }
            }
        }); DaedalusClient client = client(aggregator)) {
            OpenLoop.Outcome outcome = new OpenLoop(client, QUERIES, interval -> { }).run(new OpenLoop.Plan(
                    300, Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), 1));
            Interval total = outcome.report().total();
            assertThat(total.answered() + total.failed()).isEqualTo(outcome.offered());
            assertThat(total.failed()).isBetween(outcome.offered() * 2 / 3 - 1, outcome.offered() * 2 / 3 + 1);
            assertThat(total.rows()).isEqualTo(2 * total.answered());
            assertThat(outcome.report().lastFailure()).isNotNull();
        }
    }

    @Test
    void shouldLeaveTheWarmUpOut() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        try (FakeAggregator aggregator = new FakeAggregator((fake, operation) -> {
            seen.incrementAndGet();
            answerNothing(fake, operation);
        }); DaedalusClient client = client(aggregator)) {
            OpenLoop.Outcome outcome = new OpenLoop(client, QUERIES, interval -> { }).run(new OpenLoop.Plan(
                    500, Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(5), 1));
            assertThat(outcome.report().total().answered()).isEqualTo(outcome.offered());
            assertThat(seen.get()).isBetween((int) outcome.offered() + 150, (int) outcome.offered() + 350);
        }
    }

    @Test
    void shouldKeepTheGivenNumberOfQueriesInFlight() throws Exception {
        int concurrency = 50;
        List<Operation> held = new ArrayList<>();
        AtomicInteger most = new AtomicInteger();
        try (FakeAggregator aggregator = new FakeAggregator((fake, operation) -> {
            held.add(operation);
            most.accumulateAndGet(held.size(), Math::max);
            if (held.size() == concurrency) { // Only a full house is answered.
                List.copyOf(held).forEach(each -> answerNothing(fake, each));
                held.clear();
            }
        }); DaedalusClient client = client(aggregator)) {
            Report report = new ClosedLoop(client, QUERIES, interval -> { }).run(concurrency, Duration.ofMillis(500));
            assertThat(most.get()).isEqualTo(concurrency);
            assertThat(report.total().answered()).isGreaterThan(2 * concurrency);
        }
    }

    private static void answerNothing(FakeAggregator fake, Operation operation) {
        fake.answerRows(operation); // The columns come with the first rows, even if there are none.
        fake.answerEnd(operation, 0);
    }

    private static DaedalusClient client(FakeAggregator aggregator) {
        return DaedalusClient.builder().aggregators(aggregator.endpoint()).requestTimeout(Duration.ofSeconds(3))
                .inFlightMax(8_192).build();
    }
}
