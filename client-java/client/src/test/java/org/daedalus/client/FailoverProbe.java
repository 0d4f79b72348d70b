package org.daedalus.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.daedalus.client.DaedalusException.Category;

/**
 * Keeps queries and updates in flight against a real cluster, of which an aggregator may die meanwhile. Says "under
 * load" once a tenth has been answered, and at the end one line of JSON. The table is that of {@link InFlightProbe};
 * each update adds one to one row's n.
 *
 * <p>Arguments: aggregators (commas between them), operations in flight, operations in all, rows in the table.
 */
public final class FailoverProbe {
    private static final int UPDATE_EVERY = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final DaedalusClient client;
    private final int total;
    private final int rows;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger updates = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<Throwable> firstFailure = new AtomicReference<>();
    private final CountDownLatch open;

    private FailoverProbe(DaedalusClient client, int total, int rows) {
        this.client = client;
        this.total = total;
        this.rows = rows;
        this.open = new CountDownLatch(total);
    }

    public static void main(String[] arguments) throws Exception {
        try (DaedalusClient client = DaedalusClient.builder()
                .aggregators(arguments[0].split(",")).requestTimeout(TIMEOUT).build()) {
            client.await(client.describe());
            FailoverProbe probe =
                    new FailoverProbe(client, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
            for (int i = Integer.parseInt(arguments[1]); i > 0; i--) {
                probe.askNext();
            }
            probe.open.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            System.out.printf("{\"answered\": %d, \"updates\": %d, \"wrong\": %d, \"unknown\": %d, \"failed\": %d,"
                    + " \"first_failure\": \"%s\"}%n", probe.answered.get(), probe.updates.get(), probe.wrong.get(),
                    probe.unknown.get(), probe.failed.get(), probe.firstFailure.get());
        }
    }

    private void askNext() {
        int number = asked.getAndIncrement();
        if (number >= total) {
            return;
        }
        int id = number % rows;
        CompletableFuture<?> answer = number % UPDATE_EVERY == 0 ? update(id) : query(id);
        answer.whenComplete((result, failure) -> {
            if (failure != null) {
                firstFailure.compareAndSet(null, failure);
                boolean isUnknown = Executable.asDaedalusException(failure).category() == Category.UNKNOWN;
                (isUnknown ? unknown : failed).incrementAndGet();
            } else if (answered.incrementAndGet() == total / 10) {
                System.out.println("under load");
            }
            askNext();
            open.countDown();
        });
    }

    private CompletableFuture<?> update(int id) {
        return client.update("UPDATE numbers SET n = n + 1 WHERE id = $1", id).thenAccept(outcome -> {
            updates.incrementAndGet();
            if (outcome.applied() != 1) {
                wrong.incrementAndGet();
            }
        });
    }

    private CompletableFuture<?> query(int id) {
        return client.query("SELECT id FROM numbers WHERE id = $1", id).thenCompose(ResultSet::whole)
                .thenAccept(result -> {
                    if (result.toList().stream().mapToInt(row -> row.getInt(0)).sum() != id) {
                        wrong.incrementAndGet();
                    }
                });
    }
}
