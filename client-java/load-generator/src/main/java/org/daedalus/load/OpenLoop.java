package org.daedalus.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.daedalus.client.DaedalusClient;
import org.daedalus.workload.SqlStatement;

/**
 * Open-loop load: requests leave when they are due, whatever happened to those before them, and their latency counts
 * from when they were due. One that the client has no room for counts as refused, never as late.
 */
public final class OpenLoop {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * What to do.
     *
     * @param perSecond queries a second, on average
     * @param warmUp not reported
     * @param duration reported
     * @param drain how long answers are waited for after the last query was due
     * @param seed of the arrival times
     */
    public record Plan(double perSecond, Duration warmUp, Duration duration, Duration drain, long seed) {}

    /**
     * What came of it.
     *
     * @param report latencies and counts
     * @param offered queries that were due in the reported time
     * @param lateness microseconds by which the generator itself sent later than due
     * @param unanswered queries still without an answer when draining ended
     */
    public record Outcome(Report report, long offered, Histogram lateness, int unanswered) {}

    private final DaedalusClient client;
    private final Supplier<SqlStatement> source;
    private final Consumer<Interval> live;

    /** Puts together, sends nothing. {@code live} is told of every second. */
    public OpenLoop(DaedalusClient client, Supplier<SqlStatement> source, Consumer<Interval> live) {
        this.client = client;
        this.source = source;
        this.live = live;
    }

    /** Runs in the calling thread until everything due was sent and answered, or draining took too long. */
    public Outcome run(Plan plan) {
        long startNs = System.nanoTime();
        long reportedNs = startNs + plan.warmUp().toNanos();
        long endNs = reportedNs + plan.duration().toNanos();
        Arrivals arrivals = new Arrivals(plan.perSecond(), plan.seed());
        Tally warmUp = new Tally(startNs);
        Tally tally = new Tally(reportedNs);
        Asker warmUpAsker = new Asker(client, source, warmUp);
        Asker asker = new Asker(client, source, tally);
        List<Interval> intervals = new ArrayList<>();
        Histogram lateness = new Histogram(TimeUnit.MINUTES.toMicros(10), 3);
        long offered = 0;
        long cutNs = reportedNs + INTERVAL_NS;
        for (long dueNs = startNs + arrivals.next(); dueNs < endNs; dueNs = startNs + arrivals.next()) {
            sleepUntil(dueNs);
            long nowNs = System.nanoTime();
            if (dueNs < reportedNs) {
                warmUpAsker.ask(dueNs, answered -> { });
                continue;
            }
            if (nowNs >= cutNs) {
                cutNs = nowNs + INTERVAL_NS;
                intervals.add(cut(tally, nowNs));
            }
            offered++;
            lateness.recordValue(Math.max(0, (nowNs - dueNs) / 1_000));
            asker.ask(dueNs, answered -> { });
        }
        long drainedNs = Math.max(endNs, System.nanoTime()) + plan.drain().toNanos();
        while (asker.inFlight() > 0 && System.nanoTime() < drainedNs) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        intervals.add(cut(tally, System.nanoTime()));
        return new Outcome(Report.of(intervals, tally.lastFailure()), offered, lateness, asker.inFlight());
    }

    private Interval cut(Tally tally, long nowNs) {
        Interval interval = tally.cut(nowNs);
        live.accept(interval);
        return interval;
    }

    private static void sleepUntil(long dueNs) {
        for (long leftNs = dueNs - System.nanoTime(); leftNs > 0; leftNs = dueNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
    }
}
