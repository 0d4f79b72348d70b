package org.daedalus.demo;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.WriteOutcome;
import org.daedalus.load.Arrivals;
import org.daedalus.workload.Change;
import org.daedalus.workload.SqlStatement;

/**
 * Lets the airline's changes flow into the cluster at a rate, from a thread of its own, and keeps a record of those
 * that took effect: {@code timestamp TAB statement}. One that refused rows took effect on the others, and counts as
 * failed, too.
 *
 * <p>It can be held, so that a question is asked between two changes and its answer can be checked later; what falls
 * due meanwhile is put off by as long. So many are in flight at most: where confirmations are slow to come, what falls
 * due waits for one of them, and its latency has that wait in it.
 */
final class ChangeFlow implements Closeable {
    private static final long LATENCY_US_MAX = TimeUnit.MINUTES.toMicros(10);

    /** Hears of the changes. */
    interface Target {
        CompletableFuture<WriteOutcome> send(SqlStatement statement);
    }

    private final Target target;
    private final Supplier<Change> source;
    private final Arrivals arrivals;
    private final int inFlightMax;
    private final LongSupplier clock;
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

    /**
     * Starts held.
     *
     * @param source called by the thread of the flow only
     * @param clock nanoseconds, by which changes fall due and latencies are measured
     */
    ChangeFlow(Target target, Supplier<Change> source, Arrivals arrivals, int inFlightMax, LongSupplier clock,
            Path log) throws IOException {
        this.target = target;
        this.source = source;
        this.arrivals = arrivals;
        this.inFlightMax = inFlightMax;
        this.clock = clock;
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

    /** Microseconds from the time that a change was due to its confirmation, since the last call. */
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
        long startNs = clock.getAsLong();
        while (true) {
            long dueNs = startNs + heldNs + arrivals.next();
            sleepUntil(dueNs);
            long putOffNs = waitForTurn();
            if (putOffNs < 0) {
                return;
            }
            heldNs += putOffNs;
            send(source.get(), dueNs + putOffNs);
        }
    }

    private void send(Change change, long dueNs) {
        SqlStatement statement = change.statement();
        target.send(statement).whenComplete((outcome, failure) -> {
            latency.recordValue(Math.min(LATENCY_US_MAX, (clock.getAsLong() - dueNs) / 1_000));
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

    /**
     * Waits until the next change may leave, and counts it as in flight; for how many nanoseconds of that the flow was
     * held, below 0: it was closed.
     */
    private synchronized long waitForTurn() {
        long heldNs = 0;
        while (!closed && (held || inFlight >= inFlightMax)) {
            boolean wasHeld = held;
            long startNs = clock.getAsLong();
            waitForChange();
            heldNs += wasHeld ? clock.getAsLong() - startNs : 0;
        }
        if (closed) {
            return -1;
        }
        inFlight++;
        return heldNs;
    }

    private void waitForChange() {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    private void sleepUntil(long dueNs) {
        for (long leftNs = dueNs - clock.getAsLong(); leftNs > 0; leftNs = dueNs - clock.getAsLong()) {
            LockSupport.parkNanos(leftNs);
        }
    }
}
