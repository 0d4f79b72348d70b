package org.daedalus.examples;

import static org.daedalus.client.Condition.eq;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultSet;
import org.daedalus.client.Row;
import org.daedalus.client.WriteOutcome;

/** Shows an application at work with a cluster, from connecting to closing. The table is schemas/flights.sql. */
public final class DepartureDesk {
    private static final String[] COLUMNS = {"year", "month", "day", "sched_dep_time", "sched_arr_time", "carrier",
        "flight", "origin", "dest", "distance", "hour", "minute", "time_hour"};
    private static final int TODAY = 2030; // A year in which no other departures are.

    private final DaedalusClient client;

    private DepartureDesk(DaedalusClient client) {
        this.client = client;
    }

    /** Arguments: the aggregators, host:port each. */
    public static void main(String[] aggregators) {
        // One client serves the whole process; it is thread-safe and keeps connections to all aggregators.
        try (DaedalusClient client = DaedalusClient.builder()
                .aggregators(aggregators).requestTimeout(Duration.ofSeconds(10)).name("departure-desk").build()) {
            DepartureDesk desk = new DepartureDesk(client);
            long written = desk.schedule();
            desk.askWithTheBuilder(written);
            desk.askWithSql(desk.delay());
            desk.stream();
            desk.makeAMistake();
        }
    }

    /** Submits updates without waiting for each, and returns the timestamp of the last one to take effect. */
    private long schedule() {
        client.deleteFrom().where(eq("year", TODAY)).execute(); // Lets the example run again.
        List<CompletableFuture<WriteOutcome>> updates = List.of(departure(915, "B6", "BOS", 187),
                departure(930, "DL", "LAX", 2_475), departure(1200, "B6", "SJU", 1_598));
        long last = updates.stream().mapToLong(update -> client.await(update).timestamp()).max().orElseThrow();
        System.out.println(updates.size() + " departures scheduled");
        return last;
    }

    private CompletableFuture<WriteOutcome> departure(int time, String carrier, String destination, int distance) {
        return client.insertInto(COLUMNS).values(TODAY, 1, 31, time, time + 300, carrier, 17, "JFK", destination,
                distance, time / 100, time % 100, LocalDateTime.of(TODAY, 1, 31, time / 100, 0)).executeAsync();
    }

    /** Any aggregator answers; atLeast() makes sure that the answer includes what was written before. */
    private void askWithTheBuilder(long written) {
        try (ResultSet carriers = client.select("carrier").countRows().max("distance").as("farthest")
                .where(eq("year", TODAY)).groupBy("carrier").orderBy("carrier")
                .atLeast(written).execute()) {
            for (Row row : carriers) {
                System.out.println(row.getString("carrier") + ": " + row.getLong("count") + " departures, at most "
                        + row.getInt("farthest") + " miles");
            }
        }
    }

    /** An update that refuses rows has taken effect on the others: it is an error that carries what was done. */
    private long delay() {
        WriteOutcome outcome;
        try {
            outcome = client.await(client.update(
                    "UPDATE flights SET dep_delay = $1 WHERE year = $2 AND carrier = $3", 25, TODAY, "B6"));
        } catch (RefusedRowsException e) {
            outcome = e.outcome(); // Never to be repeated: look for the rows that were left out instead.
            System.out.println(outcome.refusedRows() + " departures left as they were: " + e.sqlState());
        }
        System.out.println(outcome.applied() + " departures delayed");
        return outcome.timestamp();
    }

    /** SQL text with parameters; NULL is null, and a getter of a primitive refuses it. */
    private void askWithSql(long written) {
        try (ResultSet delays = client.statement("SELECT dest, dep_delay FROM flights WHERE year = $1 ORDER BY dest",
                TODAY).asQuery().atLeast(written).execute()) {
            for (Row row : delays) {
                String delay = row.isNull("dep_delay") ? "on time" : "late by " + row.getShort("dep_delay") + " min";
                System.out.println(row.getString("dest") + " " + delay);
            }
        }
    }

    /** Rows come as fast as they are requested, and no faster: the client and the cluster keep the rest. */
    private void stream() {
        CompletableFuture<Integer> miles = new CompletableFuture<>();
        client.select("distance").where(eq("year", TODAY)).publish().subscribe(new Flow.Subscriber<>() {
            private Flow.Subscription subscription;
            private int sum;

            @Override public void onSubscribe(Flow.Subscription made) {
                subscription = made;
                subscription.request(1);
            }

            @Override public void onNext(Row row) {
                sum += row.getInt("distance");
                subscription.request(1); // When this row has been dealt with, the next may come.
            }

            @Override public void onError(Throwable failure) {
                miles.completeExceptionally(failure); // The rows before it are void.
            }

            @Override public void onComplete() {
                miles.complete(sum);
            }
        });
        System.out.println(client.await(miles) + " miles in all");
    }

    /** The category says what to do. */
    private void makeAMistake() {
        try {
            client.select("destination").execute().close();
        } catch (DaedalusException e) {
            switch (e.category()) {
                case RETRY -> System.out.println("nothing happened: come back in " + e.retryAfter());
                case REJECTED -> System.out.println("wrong, and wrong again: " + e.sqlState() + " " + e.getMessage());
                case UNKNOWN -> System.out.println("an update may have taken effect: read before writing again");
                default -> throw e; // FATAL: a cluster or a configuration that is broken.
            }
        }
    }
}
