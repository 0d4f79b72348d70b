package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.daedalus.client.Condition.between;
import static org.daedalus.client.Condition.eq;
import static org.daedalus.client.Condition.in;
import static org.daedalus.client.Condition.isNull;
import static org.daedalus.client.Condition.like;
import static org.daedalus.client.Condition.not;
import static org.daedalus.client.Condition.or;
import static org.daedalus.client.Condition.startsWith;

import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.Constants;
import org.daedalus.wire.v1.Distribution;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;

class DaedalusClientTest {
    private static final long TIMEOUT_S = 20;
    private static final BiConsumer<FakeAggregator, Operation> SILENT = (fake, operation) -> {};
    private static final BiConsumer<FakeAggregator, Operation> TWO_ROWS = (fake, operation) -> {
        fake.answerRows(operation, new Object[] {"Q7XK2P", 318});
        fake.answer(operation, Result.newBuilder()
                .setRows(FakeAggregator.rows(new Object[] {"A", null}).clearColumns()));
        fake.answerEnd(operation, 2);
    };
    private static final BiConsumer<FakeAggregator, Operation> CONFIRM = (fake, operation) ->
            fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(17)
                    .addOutcomes(PartitionOutcome.newBuilder().setRowsMatched(3).setRowsApplied(3))
                    .addOutcomes(PartitionOutcome.newBuilder().setPartition(1).setRowsMatched(1).setRowsApplied(1))));

    private static DaedalusClient.Builder client(FakeAggregator... fakes) {
        String[] endpoints = new String[fakes.length];
        for (int i = 0; i < fakes.length; i++) {
            endpoints[i] = fakes[i].endpoint();
        }
        return DaedalusClient.builder().aggregators(endpoints).requestTimeout(Duration.ofSeconds(TIMEOUT_S));
    }

    private static StatementBody statement(FakeAggregator fake) throws Exception {
        Operation operation = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
        assertThat(operation.getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_STATEMENT);
        return StatementBody.parseFrom(operation.getBody());
    }

    private static DaedalusException failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(DaedalusException.class, call);
    }

    @Test
    void shouldIterateOverTypedRows() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(TWO_ROWS); DaedalusClient client = client(fake).build()) {
            ResultSet result = client.await(client.query("SELECT rloc, product_id FROM bookings WHERE rloc = $1", "A"));
            List<String> seen = new ArrayList<>();
            for (Row row : result) {
                seen.add(row.getString("RLOC") + "/" + row.getObject(1) + "/" + row.isNull("product_id"));
            }
            assertThat(seen).containsExactly("Q7XK2P/318/false", "A/null/true");
            assertThat(result.columns()).extracting(ResultColumn::name).containsExactly("rloc", "product_id");
            assertThat(result.rowCount()).isEqualTo(2);
            StatementBody body = statement(fake);
            assertThat(body.hasSubmission()).isFalse();
            assertThat(Constants.toValue(body.getParameters(0))).isEqualTo("A");
        }
    }

    @Test
    void shouldReportWhatAnUpdateDid() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(CONFIRM); DaedalusClient client = client(fake).build()) {
            WriteOutcome outcome = client.await(client.update("UPDATE bookings SET product_id = product_id + 1"));
            assertThat(outcome.timestamp()).isEqualTo(17);
            assertThat(outcome.matched()).isEqualTo(4);
            assertThat(outcome.applied()).isEqualTo(4);
            assertThat(outcome.refused()).isEmpty();
            assertThat(statement(fake).getSubmission().getClient().size()).isEqualTo(16);
        }
    }

    @Test
    void shouldTurnErrorsIntoExceptionsWithCategory() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) ->
                self.answerError(operation, ErrorCategory.ERROR_CATEGORY_REJECTED, "42703", "no such column"));
                DaedalusClient client = client(fake).build()) {
            DaedalusException failure = failure(() -> client.statement("SELECT nonsense FROM bookings").execute());
            assertThat(failure.category()).isEqualTo(Category.REJECTED);
            assertThat(failure.sqlState()).isEqualTo("42703");
            assertThat(failure.position()).isEqualTo(8);
            assertThat(failure.hint()).isEqualTo("a hint");
        }
    }

    @Test
    void shouldThrowWhileIteratingWhenTheAnswerBreaksOff() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            self.answerRows(operation, new Object[] {"A", 1});
            self.answerError(operation, ErrorCategory.ERROR_CATEGORY_RETRY, "58000", "node 1 is lost");
        }); DaedalusClient client = client(fake).build()) {
            ResultSet result = client.select().execute();
            assertThat(failure(result::toList).category()).isEqualTo(Category.RETRY);
        }
    }

    @Test
    void shouldNoticeMissingRows() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            self.answerRows(operation, new Object[] {"A", 1});
            self.answerEnd(operation, 2);
        }); DaedalusClient client = client(fake).build()) {
            ResultSet result = client.select().execute();
            assertThat(failure(result::toList).category()).isEqualTo(Category.FATAL);
        }
    }

    @Test
    void shouldRenderTheBuilderAsSqlWithParameters() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(TWO_ROWS); DaedalusClient client = client(fake).build()) {
            client.select("RLOC").sum("PRODUCT_ID").as("to\"tal")
                    .where(or(eq("RLOC", "LX"), not(isNull("RLOC"))), between("PRODUCT_ID", 1, 5L))
                    .where(in("RLOC", "a", LocalDate.of(2013, 1, 2)), startsWith("RLOC", "50%_"), like("RLOC", "L%"))
                    .groupBy("RLOC").orderByDescending("RLOC").limit(10).offset(2)
                    .execute().close();
            StatementBody body = statement(fake);
            assertThat(body.getSql()).isEqualTo("SELECT \"rloc\", sum(\"product_id\") AS \"to\"\"tal\""
                    + " FROM \"bookings\""
                    + " WHERE ((\"rloc\" = $1) OR (NOT (\"rloc\" IS NULL))) AND (\"product_id\" BETWEEN $2 AND $3)"
                    + " AND (\"rloc\" IN ($4, $5)) AND (\"rloc\" LIKE $6) AND (\"rloc\" LIKE $7)"
                    + " GROUP BY \"rloc\" ORDER BY \"rloc\" DESC LIMIT 10 OFFSET 2");
            List<Object> values = new ArrayList<>();
            for (var constant : body.getParametersList()) {
                values.add(Constants.toValue(constant));
            }
            assertThat(values).containsExactly("LX", 1, 5L, "a", "2013-01-02", "50\\%\\_%", "L%");
        }
    }

    @Test
    void shouldRenderUpdatesOfTheBuilder() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(CONFIRM); DaedalusClient client = client(fake).build()) {
            client.insertInto("rloc", "product_id").values("A", 1).values("B", null).execute();
            assertThat(statement(fake).getSql())
                    .isEqualTo("INSERT INTO \"bookings\" (\"rloc\", \"product_id\") VALUES ($1, $2), ($3, $4)");
            client.update().set("rloc", "C").add("product_id", -3).where(eq("unknown", 1)).execute();
            assertThat(statement(fake).getSql()).isEqualTo("UPDATE \"bookings\" SET \"rloc\" = $1,"
                    + " \"product_id\" = \"product_id\" + $2 WHERE (\"unknown\" = $3)");
            client.deleteFrom().execute();
            assertThat(statement(fake).getSql()).isEqualTo("DELETE FROM \"bookings\"");
        }
    }

    @Test
    void shouldPackBatchesWithRoutes() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(CONFIRM); DaedalusClient client = client(fake).build()) {
            client.rowBatch(client.await(client.describe())).add("A", 1).add("B", null).execute();
            Operation operation = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
            assertThat(operation.getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_SUBMIT);
            assertThat(operation.getHeader().getMapVersion()).isEqualTo(3);
            SubmitBody body = SubmitBody.parseFrom(operation.getBody());
            assertThat(body.getUpdate().getParts(0).getInsert().getRowCount()).isEqualTo(2);
            assertThat(body.getRoutes(0).getRowCount()).isEqualTo(2);
        }
        try (FakeAggregator fake = new FakeAggregator(CONFIRM); DaedalusClient client = client(fake).build()) {
            fake.describeAs(FakeAggregator.describe(PartitionMap.newBuilder().setVersion(4)
                    .setDistribution(Distribution.DISTRIBUTION_HASH).addColumns(1).build()));
            client.rowBatch(client.await(client.describe())).add("A", 1).add("B", null).add("C", 1).execute();
            SubmitBody body = SubmitBody.parseFrom(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS).getBody());
            assertThat(body.getRoutes(0).getEqualities(0).getColumn()).isEqualTo(1);
            assertThat(body.getRoutes(0).getEqualities(0).getValuesList()).containsExactly(
                    Constants.of(FakeAggregator.INT, 1), Constants.of(FakeAggregator.INT, null));
        }
    }

    @Test
    void shouldNotListPlacementValuesOfABatchThatConcernsEveryPartition() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(CONFIRM); DaedalusClient client = client(fake).build()) {
            PartitionMap.Builder map = PartitionMap.newBuilder().setVersion(4)
                    .setDistribution(Distribution.DISTRIBUTION_HASH).addColumns(1);
            map.addPartitionsBuilder();
            map.addPartitionsBuilder();
            fake.describeAs(FakeAggregator.describe(map.build()));
            RowBatch batch = client.rowBatch(client.await(client.describe()));
            for (int i = 0; i < 100; i++) {
                batch.add("A", i);
            }
            batch.execute();
            SubmitBody body = SubmitBody.parseFrom(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS).getBody());
            assertThat(body.getRoutesList()).containsExactly(Route.getDefaultInstance());
        }
    }

    @Test
    void shouldAbortWhenTheFutureIsCancelled() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(SILENT); DaedalusClient client = client(fake).build()) {
            CompletableFuture<ResultSet> future = client.select().executeAsync();
            Operation query = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
            future.cancel(true);
            Operation abort = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
            assertThat(abort.getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_ABORT);
            assertThat(abort.getHeader().getAbortSequence()).isEqualTo(query.getHeader().getSequence());
        }
    }

    @Test
    void shouldEndAtTheDeadline() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(SILENT);
                DaedalusClient client = client(fake).requestTimeout(Duration.ofSeconds(1)).build()) {
            assertThat(failure(() -> client.select().timeout(Duration.ofMillis(20)).execute()).sqlState())
                    .isEqualTo("57014");
        }
        try (FakeAggregator fake = new FakeAggregator(SILENT);
                DaedalusClient client = client(fake).requestTimeout(Duration.ofSeconds(1)).build()) {
            assertThat(failure(() -> client.update().set("rloc", "x").execute()).category())
                    .isEqualTo(Category.UNKNOWN);
            assertThat(fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS).getHeader().getRemainingNs())
                    .isBetween(1L, 1_000_000_000L);
        }
    }

    @Test
    void shouldRefuseNamesThatNobodyTakes() {
        String longest = "x".repeat(128);
        assertThat(DaedalusClient.checkedName("principal", longest)).isEqualTo(longest);
        assertThatThrownBy(() -> DaedalusClient.builder().principal(longest + "x"))
                .isInstanceOf(IllegalArgumentException.class).hasMessage("principal exceeds 128 bytes");
    }

    @Test
    void shouldRefuseBeyondTheInFlightBoundAtOnce() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(SILENT);
                DaedalusClient client = client(fake).inFlightMax(2).build()) {
            client.query("SELECT 1");
            client.query("SELECT 1");
            CompletableFuture<ResultSet> third = client.query("SELECT 1");
            assertThat(third).isCompletedExceptionally();
            assertThat(failure(() -> client.await(third)).category()).isEqualTo(Category.RETRY);
        }
    }

    @Test
    void shouldRepeatOnAnotherConnectionOnlyBeforeTheFirstRow() throws Exception {
        boolean[] hungUp = new boolean[1];
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            if (hungUp[0]) {
                TWO_ROWS.accept(self, operation);
            } else {
                hungUp[0] = true;
                self.hangUp();
            }
        }); DaedalusClient client = client(fake).build()) {
            assertThat(client.select().execute().toList()).hasSize(2);
        }
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            self.answerRows(operation, new Object[] {"A", 1});
            self.hangUp();
        }); DaedalusClient client = client(fake).build()) {
            ResultSet rows = client.select().execute();
            DaedalusException failure = failure(rows::toList);
            assertThat(failure.category()).isEqualTo(Category.RETRY);
            assertThat(failure).hasMessageContaining("hung up");
        }
    }

    @Test
    void shouldRepeatUpdatesUnderTheSameSubmission() throws Exception {
        boolean[] hungUp = new boolean[1];
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            if (hungUp[0]) {
                CONFIRM.accept(self, operation);
            } else {
                hungUp[0] = true;
                self.hangUp();
            }
        }); DaedalusClient client = client(fake).build()) {
            assertThat(client.deleteFrom().execute().timestamp()).isEqualTo(17);
            SubmissionId first = statement(fake).getSubmission();
            assertThat(first.getRepeated()).isFalse();
            assertThat(statement(fake).getSubmission()).isEqualTo(first.toBuilder().setRepeated(true).build());
        }
    }

    @Test
    void shouldNotKnowWhatBecomesOfAnUpdateWhoseCallerIsInterrupted() throws Exception {
        Thread caller = Thread.currentThread();
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> caller.interrupt());
                DaedalusClient client = client(fake).build()) {
            assertThat(failure(() -> client.deleteFrom().execute()).category()).isEqualTo(Category.UNKNOWN);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(failure(() -> client.await(client.update("DELETE FROM t").thenApply(WriteOutcome::timestamp)))
                    .category()).isEqualTo(Category.UNKNOWN);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(failure(() -> client.select().execute()).category()).isEqualTo(Category.RETRY);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void shouldSayWhyNoAggregatorIsReachable() throws Exception {
        FakeAggregator gone = new FakeAggregator(SILENT);
        gone.close();
        try (DaedalusClient client = client(gone).build()) {
            DaedalusException failure = failure(() -> client.select().execute());
            assertThat(failure.category()).isEqualTo(Category.RETRY);
            assertThat(failure.sqlState()).isEqualTo("08001");
            assertThat(failure).hasMessageContaining(gone.endpoint() + ": Connection refused");
        }
    }

    @Test
    void shouldUseAllAggregatorsInTurn() throws Exception {
        try (FakeAggregator one = new FakeAggregator(TWO_ROWS); FakeAggregator two = new FakeAggregator(TWO_ROWS);
                DaedalusClient client = client(one, two).build()) {
            while (one.seen.isEmpty() || two.seen.isEmpty()) {
                client.await(client.query("SELECT 1")).close();
            }
            one.seen.clear();
            two.seen.clear();
            for (int i = 0; i < 10; i++) {
                client.await(client.query("SELECT 1")).close();
            }
            assertThat(one.seen).hasSameSizeAs(two.seen);
        }
    }

    @Test
    void shouldFailWhatIsInFlightWhenClosed() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(SILENT)) {
            DaedalusClient client = client(fake).build();
            CompletableFuture<ResultSet> query = client.query("SELECT 1");
            CompletableFuture<WriteOutcome> update = client.update("DELETE FROM bookings");
            fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
            fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
            client.close();
            assertThat(failure(() -> client.await(query)).category()).isEqualTo(Category.FATAL);
            assertThat(failure(() -> client.await(update)).category()).isEqualTo(Category.UNKNOWN);
            DaedalusException later = failure(() -> client.select().execute());
            assertThat(later.sqlState()).isEqualTo("08003");
            assertThat(later.category()).as("asking this client again is of no use").isEqualTo(Category.FATAL);
        }
    }

    @Test
    void shouldBoundWhatWaitsToBeRead() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            for (int i = 0; i < 100; i++) {
                self.answerRows(operation, new Object[] {"A", i});
            }
            self.answerEnd(operation, 100);
        }); DaedalusClient client = client(fake).bufferedBytesMax(100).build()) {
            DaedalusException failure = failure(() -> client.select().execute().rowCount());
            assertThat(failure.sqlState()).isEqualTo("54000");
            assertThat(failure.category()).as("the same will happen again").isEqualTo(Category.REJECTED);
            assertThat(failure).hasMessageContaining("bufferedBytesMax of the client, 100 bytes: read them faster");
        }
    }

    @Test
    void shouldRefuseToBlockItsOwnThread() throws Exception {
        CompletableFuture<Void> isChained = new CompletableFuture<Void>().orTimeout(TIMEOUT_S, TimeUnit.SECONDS);
        // Answered only then: what is chained to a future that is done runs on the thread that chains it.
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            isChained.join();
            TWO_ROWS.accept(self, operation);
        }); DaedalusClient client = client(fake).build()) {
            CompletableFuture<Object> blocked =
                    client.query("SELECT 1").thenApply(result -> client.query("SELECT 1")).thenApply(client::await);
            isChained.complete(null);
            assertThatThrownBy(() -> blocked.get(TIMEOUT_S, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(IllegalStateException.class);
        }
    }
}
