package org.daedalus.demo;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.WriteOutcome;
import org.daedalus.load.Arrivals;
import org.daedalus.workload.Change;
import org.daedalus.workload.ChangeSource;
import org.daedalus.workload.SqlStatement;

/**
 * Lets the airline's changes flow into the cluster at a rate, from a thread of its own, and keeps a record of those
 * that took effect: {@code timestamp TAB statement}. One that refused rows took effect on the others, and counts as
 * failed, too.
 *
 * <p>It can be held, so that a question is asked between two changes and its answer can be checked later; what falls
 * due meanwhile is put off by as long.
 */
final class ChangeFlow implements Closeable {
    private static final long LATENCY_US_MAX = TimeUnit.MINUTES.toMicros(10);

    private final DaedalusClient client;
    private final ChangeSource source;
    private final Arrivals arrivals;
    private final BufferedWriter log;
    private final Recorder latency = new Recorder(LATENCY_US_MAX, 3);
    private final Thread thread = new Thread(this::run, "changes");
    private boolean held = true;
    private boolean closed;
    private int inFlight;
    private long changes;
    private long rows;
    private long failed;
    private long lastTimestamp;
    private String lastFailure = "";

    /** Starts held. */
    ChangeFlow(DaedalusClient client, ChangeSource source, double perSecond, long seed, Path log) throws IOException {
        this.client = client;
        this.source = source;
        this.arrivals = new Arrivals(perSecond, seed);
        this.log = Files.newBufferedWriter(log);
        thread.setDaemon(true);
        thread.start();
    }

    /** Sends nothing more, waits for what is in flight; the timestamp of the last change that took effect. */
    synchronized long hold() {
        held = true;
        while (inFlight > 0) {
            waitForChange();
        }
        return lastTimestamp;
    }

    synchronized void goOn() {
        held = false;
        notifyAll();
    }

    synchronized long changes() {
        return changes;
    }

    synchronized long rows() {
        return rows;
    }

    synchronized long failed() {
        return failed;
    }

    synchronized String lastFailure() {
        return lastFailure;
    }

    /** Microseconds from sending a change to its confirmation, since the last call. */
    Histogram latencies() {
        return latency.getIntervalHistogram();
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            held = false;
            notifyAll();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        hold();
        log.close();
    }

    private void run() {
        long heldNs = 0;
        long startNs = System.nanoTime();
        while (true) {
            long dueNs = startNs + heldNs + arrivals.next();
            sleepUntil(dueNs);
            synchronized (this) {
                heldNs += waitWhileHeld();
                if (closed) {
                    return;
                }
                inFlight++;
            }
            send(source.next());
        }
    }

    private void send(Change change) {
        long sentNs = System.nanoTime();
        SqlStatement statement = change.statement();
        client.update(statement.text(), statement.parameterArray()).whenComplete((outcome, failure) -> {
            latency.recordValue(Math.min(LATENCY_US_MAX, (System.nanoTime() - sentNs) / 1_000));
            ended(change, outcome, failure);
        });
    }

    private synchronized void ended(Change change, WriteOutcome outcome, Throwable failure) {
        inFlight--;
        if (failure instanceof RefusedRowsException refusal) {
            tookEffect(change, refusal.outcome()); // On its other rows: what is asked from now on must see it.
        } else if (failure == null) {
            tookEffect(change, outcome);
        }
        if (failure != null) {
            failed++;
            lastFailure = String.valueOf(failure.getMessage());
        }
        notifyAll();
    }

    private void tookEffect(Change change, WriteOutcome outcome) {
        changes++;
        rows += outcome.applied();
        lastTimestamp = Math.max(lastTimestamp, outcome.timestamp());
        try {
            log.write(outcome.timestamp() + "\t" + change.statement().toLiteralSql() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How long that was; 0 if it was not held. */
    private synchronized long waitWhileHeld() {
        if (!held) {
            return 0;
        }
        long startNs = System.nanoTime();
        while (held && !closed) {
            waitForChange();
        }
        return System.nanoTime() - startNs;
    }

    private void waitForChange() {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    private static void sleepUntil(long dueNs) {
        for (long leftNs = dueNs - System.nanoTime(); leftNs > 0; leftNs = dueNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
    }
}
