package org.daedalus.client;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * Asks a real cluster prepared statements at random, more of them than it has handles, and checks names and values of
 * every answer's columns; every 50th query is cancelled. The cluster's table is empty and made by {@code CREATE TABLE
 * multiples (m1 int NOT NULL, …, m10 int NOT NULL)}. Prints how many answers were right; fails at one that is not.
 *
 * <p>Arguments: aggregators, queries in flight, queries, statements (up to 1,023).
 */
public final class HandleProbe {
    private static final int COLUMNS = 10;
    private static final int ROWS = 1_000;
    private static final int CANCELLED_OF = 50;

    private final DaedalusClient client;
    private final Semaphore room;
    private final AtomicInteger right = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final AtomicReference<Throwable> wrong = new AtomicReference<>();

    private HandleProbe(DaedalusClient client, int inFlight) {
        this.client = client;
        this.room = new Semaphore(inFlight);
    }

    public static void main(String[] arguments) throws Exception {
        int inFlight = Integer.parseInt(arguments[1]);
        try (DaedalusClient client = DaedalusClient.builder().aggregators(arguments[0].split(","))
                .requestTimeout(Duration.ofSeconds(30)).build()) {
            HandleProbe probe = new HandleProbe(client, inFlight);
            probe.insertRows();
            probe.run(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
            probe.room.acquire(inFlight);
            if (probe.wrong.get() != null) {
                throw new IllegalStateException("a wrong answer", probe.wrong.get());
            }
            System.out.printf("{\"right\": %d, \"cancelled\": %d, \"operations\": %d}%n", probe.right.get(),
                    probe.cancelled.get(), client.connections().sendings());
        }
    }

    private void insertRows() {
        RowBatch batch = client.rowBatch(client.await(client.describe()));
        for (int row = 0; row < ROWS; row++) {
            int first = row;
            batch.add(IntStream.rangeClosed(1, COLUMNS).mapToObj(factor -> factor * first).toArray());
        }
        batch.execute();
    }

    private void run(int queries, int statements) throws InterruptedException {
        Random random = new Random(1);
        List<PreparedStatement> prepared = IntStream.rangeClosed(1, statements)
                .mapToObj(number -> client.prepare("SELECT " + String.join(", ", columns(number))
                        + " FROM multiples WHERE m1 = $1")).toList();
        for (int query = 0; query < queries && wrong.get() == null; query++) {
            int number = 1 + random.nextInt(statements);
            int row = random.nextInt(ROWS);
            room.acquire();
            var answer = prepared.get(number - 1).query(row);
            answer.thenCompose(ResultSet::whole).whenComplete((rows, failure) -> {
                if (answer.isCancelled()) {
                    cancelled.incrementAndGet();
                } else if (failure != null) {
                    wrong.set(failure);
                } else {
                    check(rows, columns(number), row);
                }
                room.release();
            });
            if (query % CANCELLED_OF == 0) {
                answer.cancel(false);
            }
        }
    }

    /** The columns of one statement: a set, as its number says. */
    private static List<String> columns(int number) {
        return IntStream.range(0, COLUMNS).filter(bit -> (number >> bit & 1) != 0).mapToObj(bit -> "m" + (bit + 1))
                .toList();
    }

    private void check(ResultSet answer, List<String> names, int first) {
        List<Row> rows = answer.toList();
        boolean isRight = answer.columns().stream().map(ResultColumn::name).toList().equals(names) && rows.size() == 1
                && names.stream().allMatch(name ->
                        rows.get(0).getInt(name) == Integer.parseInt(name.substring(1)) * first);
        if (isRight) {
            right.incrementAndGet();
        } else {
            wrong.set(new IllegalStateException(names + " of " + first + ": " + answer.columns() + " " + rows));
        }
    }
}
