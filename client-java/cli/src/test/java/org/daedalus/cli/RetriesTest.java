package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Result;
import org.junit.jupiter.api.Test;

class RetriesTest {
    private static final long SECOND_NS = 1_000_000_000L;

    /** Goes on only where somebody pauses. */
    private static final class TestTime implements Retries.Time {
        private final List<Long> pausesNs = new ArrayList<>();
        private long nowNs;

        @Override
        public long nowNs() {
            return nowNs;
        }

        @Override
        public void pause(long ns) {
            pausesNs.add(ns);
            nowNs += ns;
        }
    }

    private final TestTime time = new TestTime();

    private void ask(ErrorCategory category, String sqlState, long retryAfterNs) throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> self.answer(operation, Result.newBuilder()
                .setError(Error.newBuilder().setCategory(category).setSqlstate(sqlState)
                        .setRetryAfterNs(retryAfterNs))));
                DaedalusClient client = DaedalusClient.builder().aggregators(fake.endpoint()).repeatRefused(false)
                        .build()) {
            assertThatThrownBy(() -> Retries.await(client, client.query("SELECT 1"), () -> client.query("SELECT 1"),
                    time)).isInstanceOf(DaedalusException.class);
        }
    }

    @Test
    void shouldAskABusyClusterForAMinute() throws Exception {
        ask(ErrorCategory.ERROR_CATEGORY_RETRY, "53000", 7 * SECOND_NS);
        assertThat(time.nowNs).as("the first time after a minute").isEqualTo(63 * SECOND_NS);
    }

    @Test
    void shouldPauseForTwentyMillisecondsWhereTheClusterDoesNotSayHowLong() throws Exception {
        ask(ErrorCategory.ERROR_CATEGORY_RETRY, "53000", 0);
        assertThat(time.pausesNs).isNotEmpty().allMatch(ns -> ns == 20_000_000L);
    }

    @Test
    void shouldNotAskAgainWhatIsWrong() throws Exception {
        ask(ErrorCategory.ERROR_CATEGORY_REJECTED, "42601", 0);
        assertThat(time.nowNs).isZero();
    }
}
