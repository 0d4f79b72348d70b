package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Operation;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {
    private static final Supplier<SqlStatement> QUERIES =
            () -> new SqlStatement("SELECT rloc FROM bookings", List.of());

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

    @Test
    void shouldTellRatesOfWholeSecondsAlone() throws Exception {
        List<Double> lengths = new ArrayList<>();
        try (FakeAggregator aggregator = new FakeAggregator(ClosedLoopTest::answerNothing);
                DaedalusClient client = client(aggregator)) {
            new ClosedLoop(client, QUERIES, interval -> lengths.add(interval.seconds())).run(8, Duration.ofSeconds(2));
        }
        assertThat(lengths).hasSize(2).allMatch(seconds -> seconds > 0.5);
    }

    @Test
    void shouldCountEveryEndApart() throws Exception {
        AtomicInteger number = new AtomicInteger();
        AtomicInteger[] ended = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        try (FakeAggregator aggregator = new FakeAggregator((fake, operation) -> {
            int way = number.getAndIncrement() % ended.length;
            ended[way].incrementAndGet();
            switch (way) {
                case 0 -> fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_FATAL, "XX000", "broken");
                case 1 -> fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_RETRY, "57014", "too late");
                case 2 -> fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_RETRY, "53000", "full");
                default -> {
                    fake.answerRows(operation, new Object[] {"ABC", 1}, new Object[] {"DEF", 2});
                    fake.answerEnd(operation, 2);
                }
            }
        }); DaedalusClient client = client(aggregator)) {
            Interval total = new ClosedLoop(client, QUERIES, interval -> { }).run(4, Duration.ofMillis(500)).total();
            assertThat(total.failed()).isEqualTo(ended[0].get());
            assertThat(total.expired()).isEqualTo(ended[1].get());
            assertThat(total.refused()).isEqualTo(ended[2].get());
            assertThat(total.answered()).isEqualTo(ended[3].get()).isPositive();
            assertThat(total.rows()).isEqualTo(2 * total.answered());
        }
    }

    private static void answerNothing(FakeAggregator fake, Operation operation) {
        fake.answerRows(operation); // The columns come with the first rows, even if there are none.
        fake.answerEnd(operation, 0);
    }

    private static DaedalusClient client(FakeAggregator aggregator) {
        return DaedalusClient.builder().aggregators(aggregator.endpoint()).requestTimeout(Duration.ofSeconds(3))
                .inFlightMax(8_192).repeatRefused(false).build();
    }
}
