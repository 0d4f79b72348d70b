package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application hears of its connections. */
@Timeout(60)
class ConnectionListenerTest {
    private static final long TIMEOUT_S = 20;

    private static final class Recorder implements ConnectionListener {
        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

        @Override
        public void connected(String aggregator) {
            events.add("connected " + aggregator);
        }

        @Override
        public void lost(String aggregator, String reason) {
            events.add("lost " + aggregator + ": " + reason);
        }

        @Override
        public void reconnecting(String aggregator, String reason) {
            events.add("reconnecting " + aggregator);
        }

        String next() throws InterruptedException {
            return events.poll(TIMEOUT_S, TimeUnit.SECONDS);
        }
    }

    private final Recorder recorder = new Recorder();

    private DaedalusClient connect(String endpoint, ConnectionListener listener) {
        return DaedalusClient.builder().aggregators(endpoint).connectionListener(listener).build();
    }

    @Test
    void shouldTellOfConnectionsThatAreMadeLostAndMadeAgain() throws Exception {
        FakeAggregator first = new FakeAggregator((self, operation) -> {});
        String endpoint = first.endpoint();
        FakeAggregator second;
        try (DaedalusClient client = connect(endpoint, recorder)) {
            assertThat(recorder.next()).isEqualTo("connected " + endpoint);
            first.close();
            assertThat(recorder.next()).startsWith("lost " + endpoint + ": ").contains("shutting down");
            assertThat(recorder.next()).isEqualTo("reconnecting " + endpoint);
            second = new FakeAggregator("flights-1", first.port(), (self, operation) -> {});
            String event = recorder.next();
            while (event.equals("reconnecting " + endpoint)) {
                event = recorder.next();
            }
            assertThat(event).isEqualTo("connected " + endpoint);
            assertThat(client.await(client.describe()).tableName()).isEqualTo("bookings");
        }
        second.close();
        assertThat(recorder.events).as("what the application does itself is no event").isEmpty();
    }

    @Test
    void shouldNotSufferFromAListenerThatThrows() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {});
                DaedalusClient client = connect(fake.endpoint(), new ConnectionListener() {
                    @Override
                    public void connected(String aggregator) {
                        recorder.connected(aggregator);
                        throw new IllegalStateException("a listener's own fault");
                    }
                })) {
            assertThat(recorder.next()).isEqualTo("connected " + fake.endpoint());
            assertThat(client.await(client.describe()).tableName()).isEqualTo("bookings");
        }
    }
}
