package org.daedalus.examples.writer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.RowBatch;
import org.daedalus.client.TableDescription;
import org.daedalus.client.WriteOutcome;
import org.daedalus.writer.JournalOptions;
import org.daedalus.writer.LogicalWriter;
import org.daedalus.writer.WriterOptions;

/**
 * The process that maintains a base table, and is the writer of the cluster that shows it: its rows go to the cluster
 * without a detour by another process. The table is schemas/flights.sql.
 */
public final class EmbeddedWriter {
    private static final int ROWS_IN_A_BATCH = 1_000;
    private static final int YEAR = 2032;

    private EmbeddedWriter() {}

    /** Arguments: the journal's folder, host:port for submissions of others, how many rows, then the aggregators. */
    public static void main(String[] arguments) throws IOException {
        Path journal = Path.of(arguments[0]);
        String endpoint = arguments[1];
        int rows = Integer.parseInt(arguments[2]);
        List<String> aggregators = Arrays.asList(arguments).subList(3, arguments.length);
        WriterOptions options = WriterOptions.of("embedded-writer", endpoint, false)
                .within(Runtime.getRuntime().maxMemory(), aggregators.size());
        // Only a journal completes updates that had reached some of the storage nodes that keep their rows on disk.
        try (LogicalWriter writer = LogicalWriter.start(aggregators, options, JournalOptions.of(journal));
                DaedalusClient client = DaedalusClient.builder().aggregators(aggregators.toArray(String[]::new))
                        .requestTimeout(Duration.ofMinutes(1)).name("embedded-writer").build()) {
            client.await(writer.ready()); // Fails where another process is the writer.
            System.out.println(insert(writer, client, rows) + " rows are in");
        }
    }

    private static long insert(LogicalWriter writer, DaedalusClient client, int rows) {
        TableDescription table = client.await(client.describe());
        List<CompletableFuture<WriteOutcome>> underWay = new ArrayList<>();
        for (int first = 0; first < rows; first += ROWS_IN_A_BATCH) {
            RowBatch batch = client.rowBatch(table);
            for (int row = first; row < Math.min(rows, first + ROWS_IN_A_BATCH); row++) {
                add(row, batch);
            }
            underWay.add(writer.submit(batch)); // Not by the client: this process gives the batch its number itself.
        }
        return underWay.stream().mapToLong(batch -> client.await(batch).applied()).sum();
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
