package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An answer without an end takes bounded memory, whether the application reads it or not, and holds up no other. */
@Timeout(60)
class LargeAnswerTest {
    private static final long TIMEOUT_S = 50;
    private static final int BATCH_ROWS = 2_000;
    private static final QueryRows BATCH = batch();
    private static final long BUFFERED_MAX = 1L << 20;
    /** The client's 1 MiB has room for these at the same time. */
    private static final int BATCHES_UNDER_WAY = 8;
    private static final int BATCHES = (int) (64 * BUFFERED_MAX / BATCH.getRows().size());

    private static QueryRows batch() {
        Object[][] rows = new Object[BATCH_ROWS][];
        for (int row = 0; row < BATCH_ROWS; row++) {
            rows[row] = new Object[] {"as long as it may be", row};
        }
        return FakeAggregator.rows(rows).build();
    }

    /** Answers a query that has a LIMIT with one batch, and leaves all others open for the test to answer. */
    private static void answerLimited(FakeAggregator self, Operation operation) {
        boolean isStatement = operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATEMENT;
        if (isStatement && operation.getBody().toStringUtf8().contains("LIMIT")) {
            sendBatch(self, operation);
            self.answerEnd(operation, BATCH_ROWS);
        }
    }

    private static void sendBatch(FakeAggregator fake, Operation operation) {
        fake.answer(operation, Result.newBuilder().setRows(BATCH));
    }

    private static Operation next(FakeAggregator fake) throws InterruptedException {
        Operation operation = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
        assertThat(operation).isNotNull();
        return operation;
    }

    /** Returns when the client has broken an answer off. */
    private static void awaitAbort(FakeAggregator fake) throws InterruptedException {
        while (next(fake).getHeader().getKind() != OperationKind.OPERATION_KIND_ABORT) {
            // Others were asked before.
        }
    }

    private static void send(FakeAggregator fake, Operation operation, int batches) {
        fake.run(() -> {
            for (int batch = 0; batch < batches; batch++) {
                sendBatch(fake, operation);
            }
        });
    }

    private static DaedalusClient client(FakeAggregator fake) {
        return DaedalusClient.builder().aggregators(fake.endpoint()).bufferedBytesMax(BUFFERED_MAX)
                .requestTimeout(Duration.ofSeconds(TIMEOUT_S)).build();
    }

    private static long buffered(DaedalusClient client) {
        return client.connections().buffers().bytes();
    }

    private static void awaitBuffered(DaedalusClient client, long bytes) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (buffered(client) != bytes) {
            assertThat(System.nanoTime()).as("buffered %d", buffered(client)).isLessThan(endNs);
            Thread.onSpinWait();
        }
    }

    /** The fake sends a batch for each that has been read, as an aggregator does to which the connection is narrow. */
    @Test
    void shouldPassOnManyTimesWhatItKeepsToAReaderThatReads() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(LargeAnswerTest::answerLimited);
                DaedalusClient client = client(fake)) {
            var asked = client.select().executeAsync();
            Operation operation = next(fake);
            send(fake, operation, BATCHES_UNDER_WAY);
            Iterator<Row> rows = client.await(asked).iterator();
            for (int batch = 1; batch <= BATCHES; batch++) {
                for (int row = 0; row < BATCH_ROWS; row++) {
                    assertThat(rows.next().getInt(1)).isEqualTo(row);
                }
                assertThat(buffered(client)).isLessThanOrEqualTo(BUFFERED_MAX);
                if (batch + BATCHES_UNDER_WAY <= BATCHES) {
                    send(fake, operation, 1);
                } else if (batch == BATCHES) {
                    fake.run(() -> fake.answerEnd(operation, (long) BATCHES * BATCH_ROWS));
                }
            }
            assertThat(rows.hasNext()).isFalse();
            assertThat(buffered(client)).isZero();
        }
    }

    @Test
    void shouldAnswerOthersBesideAnAnswerThatNobodyReadsAndBreakThatOneOffWhenItHasNoRoom() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(LargeAnswerTest::answerLimited);
                DaedalusClient client = client(fake)) {
            var asked = client.select().executeAsync();
            Operation operation = next(fake);
            int kept = (int) (BUFFERED_MAX * 3 / 4 / BATCH.getRows().size());
            send(fake, operation, kept);
            ResultSet unread = client.await(asked);
            awaitBuffered(client, (long) kept * BATCH.getRows().size());
            for (int other = 0; other < 20; other++) {
                assertThat(client.select().limit(BATCH_ROWS).execute().toList()).hasSize(BATCH_ROWS);
            }
            send(fake, operation, BATCHES_UNDER_WAY);
            awaitAbort(fake);  // Whoever read before would make room.
            assertThatThrownBy(unread::toList).isInstanceOfSatisfying(DaedalusException.class, failure -> {
                assertThat(failure.category()).isEqualTo(Category.REJECTED);
                assertThat(failure.sqlState()).isEqualTo("54000");
                assertThat(failure).hasMessageContaining("read them faster").hasMessageContaining("cursor");
            });
            awaitBuffered(client, 0);
            assertThat(client.select().limit(BATCH_ROWS).execute().toList()).hasSize(BATCH_ROWS);
        }
    }
}
