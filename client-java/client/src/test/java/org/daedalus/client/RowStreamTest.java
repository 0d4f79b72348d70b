package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream of rows holds up nothing else of the client; RowPublisherRulesTest has the rules of its signals. */
@Timeout(60)
class RowStreamTest {
    private static final long TIMEOUT_S = 20;
    private static final int ROWS = 100;
    private static final BiConsumer<FakeAggregator, Operation> MANY_ROWS = (self, operation) -> {
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATEMENT) {
            int rows = operation.getBody().toStringUtf8().contains("LIMIT 1") ? 1 : ROWS;
            for (int i = 0; i < rows; i++) {
                self.answerRows(operation, new Object[] {"A", i});
            }
            if (rows == 1 || !operation.getBody().toStringUtf8().contains("OFFSET")) {
                self.answerEnd(operation, rows);
            }
        }
    };
    private static final BiConsumer<FakeAggregator, Operation> FIRST_ROW = (self, operation) -> {
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATEMENT) {
            self.answerRows(operation, new Object[] {"A", 1});
        }
    };

    /** Requests nothing by itself; keeps what it is told. */
    private static class Reader implements Flow.Subscriber<Row> {
        final BlockingQueue<Object> signals = new LinkedBlockingQueue<>();
        volatile Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription made) {
            subscription = made;
        }

        @Override
        public void onNext(Row row) {
            signals.add(row.getInt(1));
        }

        @Override
        public void onError(Throwable failure) {
            signals.add(failure);
        }

        @Override
        public void onComplete() {
            signals.add("complete");
        }

        Object next() throws InterruptedException {
            return signals.poll(TIMEOUT_S, TimeUnit.SECONDS);
        }
    }

    private final Reader reader = new Reader();

    private static DaedalusClient.Builder client(FakeAggregator fake) {
        return DaedalusClient.builder().aggregators(fake.endpoint()).requestTimeout(Duration.ofSeconds(TIMEOUT_S));
    }

    private static void awaitBuffered(DaedalusClient client, long bytes) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (client.connections().buffers().bytes() != bytes) {
            assertThat(System.nanoTime()).as("buffered %d", client.connections().buffers().bytes()).isLessThan(endNs);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldDeliverExactlyWhatIsRequestedAndThenTheEnd() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(MANY_ROWS); DaedalusClient client = client(fake).build()) {
            client.select().publish().subscribe(reader);
            for (int i = 0; i < ROWS; i++) {
                assertThat(reader.signals).isEmpty();
                reader.subscription.request(1);
                assertThat(reader.next()).isEqualTo(i);
            }
            assertThat(reader.next()).isEqualTo("complete");
            awaitBuffered(client, 0);
        }
    }

    @Test
    void shouldAnswerOthersWhileASubscriberIsStuckInItsOnNext() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Reader slow = new Reader() {
            @Override
            public void onNext(Row row) {
                stuck.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                super.onNext(row);
            }
        };
        try (FakeAggregator fake = new FakeAggregator(MANY_ROWS); DaedalusClient client = client(fake).build()) {
            client.select().publish().subscribe(slow);
            slow.subscription.request(Long.MAX_VALUE);
            stuck.await();
            for (int i = 0; i < 10; i++) {
                assertThat(client.select().execute().toList()).hasSize(ROWS);
            }
            assertThat(slow.signals).isEmpty();
            release.countDown();
            for (int i = 0; i < ROWS; i++) {
                assertThat(slow.next()).isEqualTo(i);
            }
            assertThat(slow.next()).isEqualTo("complete");
        }
    }

    @Test
    void shouldBreakOffTheStreamThatOverflowsAndLeaveOthersAlone() throws Exception {
        long room = FakeAggregator.rows(new Object[] {"A", 1}).getRows().size() * (ROWS / 2L);
        try (FakeAggregator fake = new FakeAggregator(MANY_ROWS);
                DaedalusClient client = client(fake).bufferedBytesMax(room).build()) {
            client.select().offset(1).publish().subscribe(reader); // The fake never ends it.
            assertThat(reader.next()).isInstanceOfSatisfying(DaedalusException.class, failure -> {
                assertThat(failure.category()).isEqualTo(Category.REJECTED);
                assertThat(failure.sqlState()).isEqualTo("54000");
            });
            awaitBuffered(client, 0);
            assertThat(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS)).isNotNull();
            assertThat(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS).getHeader().getKind())
                    .isEqualTo(OperationKind.OPERATION_KIND_ABORT);
            reader.subscription.request(1);
            assertThat(client.select().limit(1).execute().toList()).hasSize(1);
            assertThat(reader.signals).isEmpty();
        }
    }

    @Test
    void shouldAbortTheQueryAndFreeItsRowsWhenCancelled() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(FIRST_ROW); DaedalusClient client = client(fake).build()) {
            client.select().publish().subscribe(reader);
            awaitBuffered(client, FakeAggregator.rows(new Object[] {"A", 1}).getRows().size());
            reader.subscription.cancel();
            awaitBuffered(client, 0);
            Operation query = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
            Operation abort = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
            assertThat(abort.getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_ABORT);
            assertThat(abort.getHeader().getAbortSequence()).isEqualTo(query.getHeader().getSequence());
            reader.subscription.request(5);
            assertThat(reader.signals).isEmpty();
        }
    }

    @Test
    void shouldAskNothingForASubscriberThatCancelsAtOnce() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(MANY_ROWS); DaedalusClient client = client(fake).build()) {
            client.select().publish().subscribe(new Reader() {
                @Override
                public void onSubscribe(Flow.Subscription made) {
                    made.cancel();
                }
            });
            assertThat(client.query("SELECT 1").thenCompose(ResultSet::whole).get(TIMEOUT_S, TimeUnit.SECONDS)
                    .rowCount()).isEqualTo(ROWS);
            assertThat(fake.seen).hasSize(1);
        }
    }

    @Test
    void shouldPassOnAnErrorInTheMiddleOfTheRows() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            self.answerRows(operation, new Object[] {"A", 1});
            self.answerError(operation, ErrorCategory.ERROR_CATEGORY_RETRY, "58000", "node 1 is lost");
        }); DaedalusClient client = client(fake).build()) {
            client.select().publish().subscribe(reader);
            assertThat(reader.next()).isInstanceOf(DaedalusException.class).asString().contains("node 1 is lost");
            awaitBuffered(client, 0);
        }
    }

    @Test
    void shouldGiveAResultOneReader() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(MANY_ROWS); DaedalusClient client = client(fake).build()) {
            ResultSet result = client.select().execute();
            result.publisher().subscribe(reader);
            reader.subscription.request(Long.MAX_VALUE);
            Reader second = new Reader();
            result.publisher().subscribe(second);
            assertThat(second.next()).isInstanceOf(IllegalStateException.class).asString().contains("only once");
            assertThatThrownBy(result::iterator).isInstanceOf(IllegalStateException.class);
            assertThat(reader.next()).isEqualTo(0);
        }
    }

    @Test
    void shouldDropTheStreamOfASubscriberThatThrows() throws Exception {
        AtomicLong calls = new AtomicLong();
        CountDownLatch called = new CountDownLatch(1);
        Reader broken = new Reader() {
            @Override
            public void onNext(Row row) {
                calls.incrementAndGet();
                called.countDown();
                throw new IllegalArgumentException("a bug of the application");
            }
        };
        try (FakeAggregator fake = new FakeAggregator(MANY_ROWS); DaedalusClient client = client(fake).build()) {
            client.select().publish().subscribe(broken);
            broken.subscription.request(Long.MAX_VALUE);
            assertThat(called.await(TIMEOUT_S, TimeUnit.SECONDS)).isTrue();
            client.select().publish().subscribe(reader);
            reader.subscription.request(1);
            assertThat(reader.next()).isEqualTo(0);
            reader.subscription.cancel();
            awaitBuffered(client, 0);
            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void shouldRefuseToPublishAnUpdateBeforeItIsSent() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> self.answer(operation,
                org.daedalus.wire.v1.Result.newBuilder().setConfirmed(WriteConfirmed.getDefaultInstance())));
                DaedalusClient client = client(fake).build()) {
            assertThatThrownBy(() -> client.statement("DELETE FROM bookings").publish())
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(fake.seen).isEmpty();
        }
    }
}
