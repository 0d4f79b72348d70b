package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An answer says its moment as soon as anything that has come of it does. */
@Timeout(60)
class MomentOfAnswerTest {
    private static final long TIMEOUT_S = 20;

    private static DaedalusClient client(FakeAggregator fake) {
        return DaedalusClient.builder().aggregators(fake.endpoint()).requestTimeout(Duration.ofSeconds(TIMEOUT_S))
                .build();
    }

    private static void answerRow(FakeAggregator self, Operation operation, long moment) {
        self.answer(operation, Result.newBuilder().setRows(
                FakeAggregator.rows(new Object[] {"A", 1}).setMoment(moment)));
    }

    private static void answerEnd(FakeAggregator self, Operation operation, long moment) {
        self.answer(operation, Result.newBuilder().setEnd(QueryEnd.newBuilder().setRowCount(1).setMoment(moment)));
    }

    @Test
    void shouldSayTheMomentThatTheFirstRowsNameWithoutWaitingForTheEnd() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> answerRow(self, operation, 70));
                DaedalusClient client = client(fake)) {
            // Whoever waits in a callback is refused, so this is known without waiting. The fake never ends the answer.
            assertThat(client.select().executeAsync().thenApply(ResultSet::moment).get(TIMEOUT_S, TimeUnit.SECONDS))
                    .isEqualTo(70);
            client.select().execute().close();
            assertThat(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS)).isNotNull();
            assertThat(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS).getHeader().getPrefixMin())
                    .as("reads do not go back").isEqualTo(70);
        }
    }

    @Test
    void shouldWaitForTheEndWhereTheFirstRowsNameNone() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            answerRow(self, operation, 0);
            answerEnd(self, operation, 80);
        }); DaedalusClient client = client(fake)) {
            assertThat(client.select().execute().moment()).isEqualTo(80);
        }
    }

    @Test
    void shouldFailAnAnswerWhoseEndIsOfAnotherMomentThanItsRows() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            answerRow(self, operation, 70);
            answerEnd(self, operation, 80);
        }); DaedalusClient client = client(fake)) {
            assertThatThrownBy(() -> client.select().execute().toList())
                    .isInstanceOfSatisfying(DaedalusException.class, failure -> {
                        assertThat(failure.category()).isEqualTo(Category.FATAL);
                        assertThat(failure.sqlState()).isEqualTo("08P01");
                        assertThat(failure).hasMessageContaining("first rows are of moment 70 but its end says 80");
                    });
        }
    }
}
