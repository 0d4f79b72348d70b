package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client while aggregators and clusters come and go, and its end. */
@Timeout(60)
class ClientLifeTest {
    private static final long TIMEOUT_S = 20;
    private static final BiConsumer<FakeAggregator, Operation> SILENT = (self, operation) -> {};
    private static final BiConsumer<FakeAggregator, Operation> ONE_ROW = (self, operation) -> {
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATEMENT) {
            self.answerRows(operation, new Object[] {"A", 1});
            self.answerEnd(operation, 1);
        }
    };
    private static final DescribeReply OTHER_TABLE = DescribeReply.newBuilder().setTableName("others")
            .setMap(PartitionMap.newBuilder().setVersion(3))
            .addColumns(Column.newBuilder().setName("name").setType(WireTypes.toMessage(FakeAggregator.VARCHAR)))
            .build();

    private static DaedalusClient.Builder client(FakeAggregator... fakes) {
        String[] endpoints = new String[fakes.length];
        for (int i = 0; i < fakes.length; i++) {
            endpoints[i] = fakes[i].endpoint();
        }
        return DaedalusClient.builder().aggregators(endpoints).requestTimeout(Duration.ofSeconds(TIMEOUT_S));
    }

    private static DaedalusException failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(DaedalusException.class, call);
    }

    private static long clientThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("daedalus-client")).count();
    }

    /** Two aggregators before one table: an update takes effect once however often its submission comes. */
    private static final class FakeTable {
        private final Set<Long> applied = ConcurrentHashMap.newKeySet();
        private final AtomicInteger repeated = new AtomicInteger();

        void answer(FakeAggregator self, Operation operation) {
            StatementBody body = statement(operation);
            if (body == null) {
                return;
            }
            if (!body.hasSubmission()) {
                ONE_ROW.accept(self, operation);
                return;
            }
            if (!applied.add(body.getSubmission().getNumber())) {
                repeated.incrementAndGet();
            }
            self.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(1)));
        }

        /** Does what is asked, and dies before it can say so. */
        void swallow(Operation operation) {
            StatementBody body = statement(operation);
            if (body != null && body.hasSubmission()) {
                applied.add(body.getSubmission().getNumber());
            }
        }

        private static StatementBody statement(Operation operation) {
            try {
                return operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATEMENT
                        ? StatementBody.parseFrom(operation.getBody()) : null;
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void shouldLoseAndDoubleNothingWhenOneOfTwoAggregatorsDiesUnderLoad() throws Exception {
        FakeTable table = new FakeTable();
        CountDownLatch swallowed = new CountDownLatch(300);
        FakeAggregator doomed = new FakeAggregator((self, operation) -> {
            table.swallow(operation);
            swallowed.countDown();
        });
        try (FakeAggregator living = new FakeAggregator(table::answer);
                DaedalusClient client = client(living, doomed).build()) {
            List<CompletableFuture<?>> answers = new ArrayList<>();
            int updates = 0;
            // Until the doomed one holds enough unanswered work, however long its connection took.
            while (swallowed.getCount() > 0) {
                boolean isUpdate = answers.size() % 3 == 0;
                updates += isUpdate ? 1 : 0;
                answers.add(isUpdate ? client.update("DELETE FROM bookings")
                        : client.query("SELECT 1").thenCompose(ResultSet::whole));
                while (answers.size() - living.seen.size() - doomed.seen.size() > 100) {
                    Thread.onSpinWait();
                }
            }
            doomed.close();
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(TIMEOUT_S, TimeUnit.SECONDS);
            assertThat(table.applied).hasSize(updates);
            assertThat(table.repeated).as("updates that had taken effect").hasPositiveValue();
        }
    }

    @Test
    void shouldComeBackToAnAggregatorThatWasRestarted() throws Exception {
        FakeAggregator first = new FakeAggregator(ONE_ROW);
        int port = first.port();
        try (DaedalusClient client = client(first).build()) {
            assertThat(client.select().execute().toList()).hasSize(1);
            first.close();
            while (failure(() -> client.select().execute().close()) == null) {
                Thread.onSpinWait();
            }
            try (FakeAggregator again = new FakeAggregator("flights-1", port, ONE_ROW)) {
                while (again.seen.isEmpty()) {
                    DaedalusException failure = failure(() -> client.select().execute().close());
                    assertThat(failure == null || failure.category() == Category.RETRY).isTrue();
                }
            }
        }
    }

    @Test
    void shouldGoOnWithTheClusterThatReplacedItsOwnAndDescribeItAfresh() throws Exception {
        FakeAggregator old = new FakeAggregator("old", 0, SILENT);
        try (DaedalusClient client = client(old).build()) {
            TableDescription before = client.await(client.describe());
            assertThat(before.tableName()).isEqualTo("bookings");
            CompletableFuture<WriteOutcome> update = client.update("DELETE FROM bookings");
            CompletableFuture<ResultSet> query = client.query("SELECT 1");
            assertThat(old.seen.poll(TIMEOUT_S, TimeUnit.SECONDS)).isNotNull();
            assertThat(old.seen.poll(TIMEOUT_S, TimeUnit.SECONDS)).isNotNull();
            int port = old.port();
            old.close();
            try (FakeAggregator replacement = new FakeAggregator("new", port, ONE_ROW)) {
                replacement.describeAs(OTHER_TABLE);
                DaedalusException unknown = failure(() -> client.await(update));
                assertThat(unknown.category()).isEqualTo(Category.UNKNOWN);
                assertThat(unknown).hasMessageContaining("was cluster old").hasMessageContaining("is cluster new");
                DaedalusException repeated = failure(() -> client.await(query).close());
                assertThat(repeated == null || repeated.category() == Category.RETRY).isTrue();
                assertThat(client.await(client.describe()).tableName()).isEqualTo("others");
                assertThat(replacement.seen).noneMatch(operation -> operation.getBody().toStringUtf8().contains("DEL"));
            }
        }
    }

    @Test
    void shouldSayForGoodThatItsClusterIsGoneWhenItMayUseNoOther() throws Exception {
        try (FakeAggregator other = new FakeAggregator("another", 0, ONE_ROW);
                DaedalusClient client = client(other).clusterId("mine").build()) {
            DaedalusException failure = failure(() -> client.select().execute());
            assertThat(failure.category()).isEqualTo(Category.FATAL);
            assertThat(failure.sqlState()).isEqualTo("08004");
            assertThat(failure).hasMessageContaining("mine here, another at fake");
        }
    }

    @Test
    void shouldDescribeAgainAfterTheClusterCalledTheDescriptionStale() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> self.answerError(operation,
                org.daedalus.wire.v1.ErrorCategory.ERROR_CATEGORY_RETRY, "55000", "another map"));
                DaedalusClient client = client(fake).build()) {
            assertThat(client.await(client.describe()).tableName()).isEqualTo("bookings");
            fake.describeAs(OTHER_TABLE);
            assertThat(client.await(client.describe()).tableName()).isEqualTo("bookings");
            assertThat(failure(() -> client.select().execute()).sqlState()).isEqualTo("55000");
            assertThat(client.await(client.describe()).tableName()).isEqualTo("others");
        }
    }

    @Test
    void shouldEndEveryFutureAndItsThreadWhenClosedDuringTraffic() throws Exception {
        AtomicInteger open = new AtomicInteger();
        FakeAggregator one = new FakeAggregator(ONE_ROW);
        FakeAggregator two = new FakeAggregator(SILENT);
        DaedalusClient client = client(one, two).build();
        List<CompletableFuture<ResultSet>> answers = java.util.Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        CountDownLatch busy = new CountDownLatch(500);
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> {
                CompletableFuture<ResultSet> last;
                do {
                    open.incrementAndGet();
                    last = client.query("SELECT 1");
                    last.whenComplete((rows, failure) -> {
                        open.decrementAndGet();
                        if (rows != null) {
                            rows.close();
                        }
                    });
                    answers.add(last);
                    busy.countDown();
                } while (!isClosed(last));
            });
            thread.start();
            threads.add(thread);
        }
        busy.await();
        client.close();
        for (Thread thread : threads) {
            thread.join();
        }
        client.close();
        assertThat(open).hasValue(0);
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThat(client.connections().buffers().bytes()).isZero();
        while (clientThreads() > 0) {
            Thread.onSpinWait(); // The thread that was waited for may still be on its way out.
        }
        one.close();
        two.close();
    }

    private static boolean isClosed(CompletableFuture<ResultSet> answer) {
        return answer.isCompletedExceptionally() && answer.handle((rows, failure) ->
                failure instanceof DaedalusException known && known.sqlState().equals("08003")).join();
    }

    @Test
    void shouldBeClosableInACallback() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(ONE_ROW)) {
            DaedalusClient client = client(fake).build();
            CompletableFuture<Void> closed = client.query("SELECT 1").thenAccept(rows -> client.close());
            closed.get(TIMEOUT_S, TimeUnit.SECONDS);
            assertThat(failure(() -> client.select().execute()).sqlState()).isEqualTo("08003");
            while (clientThreads() > 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldHoldARequestsDeadlineWhileTheTableIsNotDescribed() throws Exception {
        try (java.net.ServerSocket mute = new java.net.ServerSocket(0);
                DaedalusClient client = DaedalusClient.builder().aggregators("127.0.0.1:" + mute.getLocalPort())
                        .requestTimeout(Duration.ofMinutes(10)).build()) {
            assertThat(failure(() -> client.select().timeout(Duration.ofMillis(50)).execute()).sqlState())
                    .isEqualTo("57014");
        }
    }

    @Test
    void shouldFreeTheRowsOfAnAnswerThatArrivedWholeWhileItWasCancelled() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (FakeAggregator fake = new FakeAggregator(SILENT); DaedalusClient client = client(fake).build()) {
            client.query("SELECT 1").whenComplete((rows, failure) -> {
                busy.countDown();
                try {
                    go.await(); // The abort that the cancellation asks for comes too late.
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            // Only now, so that the thread that waits is the client's own.
            fake.answerEnd(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS), 0);
            busy.await();
            Answer<ResultSet> answer = new Answer<>(client, ResultSet.class);
            Request.Content content =
                    Request.Content.of(OperationKind.OPERATION_KIND_STATEMENT, ByteString.EMPTY, null);
            Request late = new Request(content, answer, client.connections().nowNs() + 1);
            late.setColumns(new ResultColumns(List.of()));
            answer.submit(late);
            assertThat(answer.future().cancel(false)).isTrue();
            answer.onResult(ArrivedResult.of(
                    Result.newBuilder().setRows(FakeAggregator.rows(new Object[] {"A", 1})).build()));
            long kept = client.connections().buffers().bytes();
            go.countDown();
            assertThat(kept).isZero();
        }
    }
}
