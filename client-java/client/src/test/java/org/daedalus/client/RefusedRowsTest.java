package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.daedalus.client.Condition.eq;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.WriteOutcome.Refusal;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.RefusedRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.RowRefusal;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;

/** An update that refused rows: an error that says what took effect, from every way to submit one, never repeated. */
class RefusedRowsTest {
    private static PartitionOutcome.Builder partition(int number, long applied) {
        return PartitionOutcome.newBuilder().setNode(number / 2).setPartition(number).setRowsMatched(applied)
                .setRowsApplied(applied);
    }

    private static PartitionOutcome.Builder partition(int number, long applied, RowRefusal reason, long refused) {
        return partition(number, applied).setRowsMatched(applied + refused)
                .addRefused(RefusedRows.newBuilder().setReason(reason).setRowCount(refused));
    }

    private static WriteConfirmed.Builder confirmed(PartitionOutcome.Builder... partitions) {
        WriteConfirmed.Builder confirmed = WriteConfirmed.newBuilder().setTimestamp(17);
        for (PartitionOutcome.Builder each : partitions) {
            confirmed.addOutcomes(each);
        }
        return confirmed;
    }

    private static RefusedRowsException refusal(PartitionOutcome.Builder... partitions) {
        return new RefusedRowsException(WriteOutcome.of(confirmed(partitions).build()));
    }

    @Test
    void shouldSayHowManyRowsWereAppliedAndRefusedAndWhyAndThatNothingIsToBeRepeated() {
        RefusedRowsException overflow =
                refusal(partition(0, 3), partition(1, 1, RowRefusal.ROW_REFUSAL_OVERFLOW, 2));
        assertThat(overflow).hasMessage("4 rows applied, 2 refused (overflow): "
                + "the update has taken effect under timestamp 17 and is not to be repeated");
        assertThat(overflow.sqlState()).isEqualTo("22003");
        assertThat(overflow.category()).isEqualTo(Category.REJECTED);
        assertThat(overflow.detail()).contains("stayed as they were")
                .endsWith("node 0, partition 1: 1 row applied, 2 refused");
        assertThat(overflow.retryAfter()).isZero();
        RefusedRowsException full = refusal(partition(3, 1, RowRefusal.ROW_REFUSAL_NO_ROOM, 1));
        assertThat(full).hasMessageStartingWith("1 row applied, 1 refused (no room)");
        assertThat(full.sqlState()).isEqualTo("53100");
        assertThat(full.detail()).contains("not in the table").contains("node 1, partition 3");
        assertThat(full.hint()).contains("insert only what is missing");
    }

    @Test
    void shouldNameEveryReasonAndCallWantOfRoomFirst() {
        RefusedRowsException both = refusal(partition(0, 0, RowRefusal.ROW_REFUSAL_OVERFLOW, 1)
                .addRefused(RefusedRows.newBuilder().setReason(RowRefusal.ROW_REFUSAL_NO_ROOM).setRowCount(2)));
        assertThat(both).hasMessageStartingWith("0 rows applied, 3 refused (2 no room, 1 overflow)");
        assertThat(both.sqlState()).isEqualTo("53100");
        RefusedRowsException unknown = refusal(partition(0, 0, RowRefusal.ROW_REFUSAL_UNSPECIFIED, 1));
        assertThat(unknown.sqlState()).isEqualTo("XX000");
        assertThat(unknown.category()).isEqualTo(Category.REJECTED);
    }

    @Test
    void shouldHaveTheSqlstateThatSetOrWhereFailedWith() {
        RefusedRowsException failed = refusal(partition(0, 1).setRowsMatched(4)
                .addRefused(RefusedRows.newBuilder().setReason(RowRefusal.ROW_REFUSAL_FAILED).setSqlstate("22P02")
                        .setRowCount(1))
                .addRefused(RefusedRows.newBuilder().setReason(RowRefusal.ROW_REFUSAL_FAILED).setSqlstate("22012")
                        .setRowCount(2)));
        assertThat(failed).hasMessageStartingWith(
                "1 row applied, 3 refused (2 failed with 22012, 1 failed with 22P02)");
        assertThat(failed.sqlState()).isEqualTo("22012");
        assertThat(failed.outcome().refused()).containsExactly(
                Map.entry(Refusal.failed("22012"), 2L), Map.entry(Refusal.failed("22P02"), 1L));
        RefusedRowsException mixed = refusal(partition(0, 0, RowRefusal.ROW_REFUSAL_UNSPECIFIED, 1)
                .addRefused(RefusedRows.newBuilder().setReason(RowRefusal.ROW_REFUSAL_FAILED).setSqlstate("22012")
                        .setRowCount(1))
                .addRefused(RefusedRows.newBuilder().setReason(RowRefusal.ROW_REFUSAL_OVERFLOW).setRowCount(1)));
        assertThat(mixed.sqlState()).isEqualTo("22003");
        assertThat(mixed.detail()).contains("WHERE failed with 22012 on");
    }

    @Test
    void shouldCarryTheOutcomePartitionByPartitionAlsoWhereItIsThrownAgainOrSentElsewhere() throws Exception {
        RefusedRowsException refusal =
                refusal(partition(0, 3), partition(1, 1, RowRefusal.ROW_REFUSAL_OVERFLOW, 2));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(refusal);
        Object copied = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        for (RefusedRowsException each : List.of(refusal, refusal.rethrown(), (RefusedRowsException) copied)) {
            assertThat(each.outcome().timestamp()).isEqualTo(17);
            assertThat(each.outcome().partitions()).containsExactly(
                    new WriteOutcome.Partition(0, 0, 3, 3, Map.of()),
                    new WriteOutcome.Partition(0, 1, 3, 1, Map.of(Refusal.OVERFLOW, 2L)));
            assertThat(each).hasMessage(refusal.getMessage());
        }
        assertThat(refusal.rethrown()).hasCause(refusal);
    }

    @Test
    void shouldNameAFewPartitionsOfMany() {
        PartitionOutcome.Builder[] partitions = new PartitionOutcome.Builder[100];
        for (int number = 0; number < partitions.length; number++) {
            partitions[number] = partition(number, 1, RowRefusal.ROW_REFUSAL_NO_ROOM, 1);
        }
        assertThat(refusal(partitions).detail()).contains("node 3, partition 7").doesNotContain("partition 8")
                .endsWith("; and 92 more");
    }

    @Test
    void shouldNotTakeForgottenCountsForAll() {
        WriteConfirmed.Builder confirmed = confirmed(partition(0, 1, RowRefusal.ROW_REFUSAL_OVERFLOW, 1));
        RefusedRowsException refusal =
                new RefusedRowsException(WriteOutcome.of(confirmed.setOutcomeForgotten(true).build()));
        assertThat(refusal).hasMessageStartingWith("at least 1 row applied");
    }

    @Test
    void shouldNotCallAReasonWithoutRowsARefusal() {
        WriteOutcome outcome =
                WriteOutcome.of(confirmed(partition(0, 1, RowRefusal.ROW_REFUSAL_OVERFLOW, 0)).build());
        assertThat(outcome.refused()).isEmpty();
        assertThat(outcome.refusedRows()).isZero();
    }

    /** Every way to submit an update. */
    private static Map<String, Function<DaedalusClient, CompletableFuture<?>>> ways() {
        Map<String, Function<DaedalusClient, CompletableFuture<?>>> ways = new LinkedHashMap<>();
        String sql = "UPDATE bookings SET product_id = product_id + 1";
        ways.put("execute", client -> client.execute(sql));
        ways.put("update", client -> client.update(sql));
        ways.put("query", client -> client.query(sql));
        ways.put("statement", client -> client.statement(sql).executeAsync());
        ways.put("statement as update", client -> client.statement(sql).asUpdate().executeAsync());
        ways.put("update builder", client -> client.update().add("product_id", 1).executeAsync());
        ways.put("insert builder", client -> client.insertInto("rloc").values("A").executeAsync());
        ways.put("delete builder", client -> client.deleteFrom().where(eq("rloc", "A")).executeAsync());
        ways.put("batch", client -> client.describe()
                .thenCompose(table -> client.rowBatch(table).add("A", 1).executeAsync()));
        ways.put("probe", client -> client.describe().thenCompose(
                table -> client.submissionProbe(table, SubmissionName.of("0".repeat(32), 1)).executeAsync()));
        return ways;
    }

    @Test
    void shouldEndEveryWayToSubmitInTheSameExceptionAndSubmitOnce() throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> self.answer(operation,
                Result.newBuilder().setConfirmed(confirmed(partition(0, 2, RowRefusal.ROW_REFUSAL_NO_ROOM, 1)))));
                DaedalusClient client = DaedalusClient.builder().aggregators(fake.endpoint())
                        .requestTimeout(Duration.ofSeconds(20)).build()) {
            ways().forEach((name, way) -> {
                RefusedRowsException refusal =
                        catchThrowableOfType(RefusedRowsException.class, () -> client.await(way.apply(client)));
                assertThat(refusal).as(name).isNotNull();
                assertThat(refusal.outcome().applied()).as(name).isEqualTo(2);
                assertThat(refusal.outcome().refused()).as(name).containsExactly(Map.entry(Refusal.NO_ROOM, 1L));
                Throwable chained = catchThrowableOfType(CompletionException.class,
                        () -> way.apply(client).thenApply(outcome -> outcome).join());
                assertThat(chained).as(name).hasCauseInstanceOf(RefusedRowsException.class);
            });
            assertThat(fake.seen).hasSize(2 * ways().size());
        }
    }
}
