package org.daedalus.examples;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.RowBatch;
import org.daedalus.client.TableDescription;
import org.daedalus.client.WriteOutcome;

/** Many rows, fast: batches that are packed here, some under way at a time. The table is schemas/flights.sql. */
public final class BulkInsert {
    private static final int ROWS_IN_A_BATCH = 1_000;
    private static final int BATCHES_UNDER_WAY_MAX = 16;
    private static final int YEAR = 2031;

    private BulkInsert() {}

    /** Arguments: how many rows, then the aggregators, host:port each. */
    public static void main(String[] arguments) {
        int rows = Integer.parseInt(arguments[0]);
        String[] aggregators = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
        try (DaedalusClient client = DaedalusClient.builder()
                .aggregators(aggregators).requestTimeout(Duration.ofMinutes(1)).name("bulk-insert").build()) {
            System.out.println(insert(client, rows) + " rows are in");
        }
    }

    private static long insert(DaedalusClient client, int rows) {
        TableDescription table = client.await(client.describe());
        Queue<CompletableFuture<WriteOutcome>> underWay = new ArrayDeque<>();
        long inserted = 0;
        for (int first = 0; first < rows; first += ROWS_IN_A_BATCH) {
            RowBatch batch = client.rowBatch(table);
            for (int row = first; row < Math.min(rows, first + ROWS_IN_A_BATCH); row++) {
                add(row, batch);
            }
            if (underWay.size() == BATCHES_UNDER_WAY_MAX) {
                inserted += client.await(underWay.remove()).applied();
            }
            underWay.add(batch.executeAsync()); // All of its rows take effect together, or the future says why not.
        }
        while (!underWay.isEmpty()) {
            inserted += client.await(underWay.remove()).applied();
        }
        return inserted;
    }

    /** A value for each column of the table, in its order and of its type; null is NULL. */
    private static void add(int number, RowBatch batch) {
        LocalDateTime departure = LocalDateTime.of(YEAR, 1, 1, 0, 0).plusMinutes(number);
        int clock = 100 * departure.getHour() + departure.getMinute();
        batch.add(YEAR, departure.getMonthValue(), departure.getDayOfMonth(), null, clock, null, null, clock, null,
                "LX", number % 10_000, null, "JFK", "ZRH", null, 3_926, departure.getHour(), departure.getMinute(),
                departure);
    }
}
