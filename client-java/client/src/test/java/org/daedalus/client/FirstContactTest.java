package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FirstContactTest {
    private static final long SECONDS_MAX = 30;

    @Test
    void shouldCompleteWhenAnAggregatorIsConnected() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> { });
                DaedalusClient client = DaedalusClient.builder().aggregators(fake.endpoint()).build()) {
            client.await(client.describe()); // So it is connected, however often it had to dial.
            assertThat(client.firstContact()).isCompleted();
        }
    }

    @Test
    void shouldCompleteWhenNobodyCanBeReachedAndLeaveTheErrorToRequests() throws Exception {
        try (DaedalusClient client = DaedalusClient.builder().aggregators("127.0.0.1:1").build()) {
            client.firstContact().get(SECONDS_MAX, TimeUnit.SECONDS);
            assertThatThrownBy(() -> client.statement("SELECT 1").execute()).hasMessageContaining("127.0.0.1:1");
        }
    }

    @Test
    void shouldCompleteWhenTheClientIsClosed() throws Exception {
        DaedalusClient client = DaedalusClient.builder().aggregators("127.0.0.1:1").build();
        client.close();
        client.firstContact().get(SECONDS_MAX, TimeUnit.SECONDS);
    }
}
