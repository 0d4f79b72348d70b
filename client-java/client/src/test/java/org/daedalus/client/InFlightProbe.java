package org.daedalus.client;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Keeps a number of queries in flight against a real cluster until enough have been asked, checks every answer, and
 * prints one line of JSON. The table has the columns {@code id} and {@code n}, and {@code n = 7 * id} in every row.
 *
 * <p>Arguments: aggregators (commas between them), queries in flight, queries in all, rows in the table.
 */
public final class InFlightProbe {
    private static final int FACTOR = 7;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final DaedalusClient client;
    private final int total;
    private final int rows;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<Throwable> firstFailure = new AtomicReference<>();
    private final CountDownLatch open;

    private InFlightProbe(DaedalusClient client, int total, int rows) {
        this.client = client;
        this.total = total;
        this.rows = rows;
        this.open = new CountDownLatch(total);
    }

    public static void main(String[] arguments) throws Exception {
        int inFlight = Integer.parseInt(arguments[1]);
        try (DaedalusClient client = DaedalusClient.builder()
                .aggregators(arguments[0].split(",")).requestTimeout(TIMEOUT).inFlightMax(inFlight).build()) {
            client.await(client.describe());
            new InFlightProbe(client, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3])).run(inFlight);
        }
    }

    private void run(int inFlight) throws InterruptedException {
        long startNs = System.nanoTime();
        long startCpuNs = cpuNs();
        for (int i = 0; i < inFlight; i++) {
            askNext();
        }
        boolean ended = open.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        double seconds = (System.nanoTime() - startNs) / 1e9;
        double cpuMicros = (cpuNs() - startCpuNs) / 1e3 / total;
        System.out.printf("{\"ended\": %b, \"in_flight\": %d, \"answered\": %d, \"wrong\": %d,"
                + " \"failed\": %d, \"queries_per_second\": %.0f, \"client_cpu_us_per_query\": %.1f,"
                + " \"first_failure\": \"%s\"}%n", ended, inFlight, answered.get(), wrong.get(), failed.get(),
                answered.get() / seconds, cpuMicros, firstFailure.get());
    }

    private static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** One answer makes room for one question. */
    private void askNext() {
        int number = asked.getAndIncrement();
        if (number >= total) {
            return;
        }
        int id = number % rows;
        client.query("SELECT n FROM numbers WHERE id = $1", id).thenCompose(ResultSet::whole)
                .whenComplete((result, failure) -> {
                    if (failure != null) {
                        failed.incrementAndGet();
                        firstFailure.compareAndSet(null, failure);
                    } else {
                        answered.incrementAndGet();
                        if (result.toList().stream().mapToInt(row -> row.getInt("n")).sum() != FACTOR * id) {
                            wrong.incrementAndGet();
                        }
                    }
                    askNext();
                    open.countDown();
                });
    }
}
