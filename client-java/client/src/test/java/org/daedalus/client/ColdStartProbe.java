package org.daedalus.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.daedalus.wire.ColumnType;

/**
 * Submits many batches of rows at once, as the first thing that a process does with a cluster, waits for all, and
 * prints one line of JSON. Takes any table: integers count rows, everything else is the same in each row.
 *
 * <p>Arguments: aggregators (commas between them), batches, rows in each.
 */
public final class ColdStartProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(100);
    private static final LocalDate DAY = LocalDate.of(2013, 2, 9);

    private ColdStartProbe() {}

    public static void main(String[] arguments) {
        int batches = Integer.parseInt(arguments[1]);
        int rows = Integer.parseInt(arguments[2]);
        AtomicInteger lost = new AtomicInteger();
        ConnectionListener listener = new ConnectionListener() {
            @Override
            public void lost(String aggregator, String reason) {
                lost.incrementAndGet();
            }
        };
        try (DaedalusClient client = DaedalusClient.builder().aggregators(arguments[0].split(","))
                .requestTimeout(TIMEOUT).connectionListener(listener).build()) {
            TableDescription table = client.await(client.describe());
            List<RowBatch> packed = new ArrayList<>();
            for (int batch = 0; batch < batches; batch++) {
                packed.add(packed(client, table, batch * rows, rows));
            }
            long startNs = System.nanoTime();
            List<CompletableFuture<WriteOutcome>> outcomes = packed.stream().map(RowBatch::executeAsync).toList();
            double submittedSeconds = (System.nanoTime() - startNs) / 1e9;
            long applied = 0;
            int failed = 0;
            Throwable firstFailure = null;
            for (CompletableFuture<WriteOutcome> outcome : outcomes) {
                try {
                    applied += client.await(outcome).applied();
                } catch (DaedalusException e) {
                    failed++;
                    firstFailure = firstFailure == null ? e : firstFailure;
                }
            }
            System.out.printf("{\"applied\": %d, \"failed\": %d, \"lost\": %d, \"sendings\": %d,"
                    + " \"submitted_seconds\": %.1f, \"seconds\": %.1f, \"first_failure\": \"%s\"}%n", applied,
                    failed, lost.get(), client.connections().sendings(), submittedSeconds,
                    (System.nanoTime() - startNs) / 1e9, firstFailure);
        }
    }

    private static RowBatch packed(DaedalusClient client, TableDescription table, int first, int rows) {
        RowBatch batch = client.rowBatch(table);
        for (int row = first; row < first + rows; row++) {
            int number = row;
            batch.add(table.types().stream().map(type -> value(type, number)).toArray());
        }
        return batch;
    }

    private static Object value(ColumnType type, int number) {
        return switch (type.kind()) {
            case BOOL -> true;
            case SMALLINT -> (short) number;
            case INT -> number;
            case BIGINT -> (long) number;
            case REAL -> 1.5f;
            case DOUBLE -> 1.5;
            case NUMERIC -> BigDecimal.ONE;
            case DATE -> DAY;
            case TIMESTAMP -> DAY.atTime(12, 0);
            case TIME -> java.time.LocalTime.NOON;
            case UUID -> new java.util.UUID(1, 2);
            case TIMESTAMPTZ -> DAY.atTime(12, 0).toInstant(java.time.ZoneOffset.UTC);
            case CHAR, VARCHAR, TEXT -> "x".repeat(type.length());
            case INTERVAL -> throw new IllegalArgumentException("no column is an interval");
        };
    }
}
