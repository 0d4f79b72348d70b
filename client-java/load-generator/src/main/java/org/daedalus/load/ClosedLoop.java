package org.daedalus.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusClient;
import org.daedalus.workload.SqlStatement;

/**
 * Closed-loop load: a fixed number of queries is in flight at any time, each answer lets the next one leave. It shows
 * what a full system gives; latencies under a given load are {@link OpenLoop}'s to measure.
 */
public final class ClosedLoop {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_AFTER_REFUSAL_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Sender sender;
    private final Consumer<Interval> live;

    /** Sends nothing yet. {@code source} is called from several threads; {@code live} is told of every second. */
    public ClosedLoop(DaedalusClient client, Supplier<SqlStatement> source, Consumer<Interval> live) {
        this.sender = new Sender(Target.queries(client), source, Clock.SYSTEM);
        this.live = live;
    }

    /** Keeps {@code concurrency} queries in flight for {@code duration}, then waits for the last answers. */
    public Report run(int concurrency, Duration duration) {
        long startNs = System.nanoTime();
        long endNs = startNs + duration.toNanos();
        Tally tally = new Tally(startNs);
        List<Interval> intervals = new ArrayList<>();
        for (int started = 0; started < concurrency; started++) {
            askOnAndOn(tally, endNs);
        }
        for (long cutNs = startNs + INTERVAL_NS; sender.inFlight() > 0;) {
            LockSupport.parkNanos(Math.min(PAUSE_AFTER_REFUSAL_NS, INTERVAL_NS));
            long nowNs = System.nanoTime();
            for (int missing = concurrency - sender.inFlight(); missing > 0 && nowNs < endNs; missing--) {
                askOnAndOn(tally, endNs); // Refused ones come back after a pause, so that refusals do not spin.
            }
            // The last second ends with the last answers: those few alone would make no rate.
            if (nowNs >= cutNs && cutNs < endNs) {
                cutNs += INTERVAL_NS;
                intervals.add(cut(tally, nowNs));
            }
        }
        intervals.add(cut(tally, System.nanoTime()));
        return Report.of(intervals, tally.lastFailure());
    }

    private void askOnAndOn(Tally tally, long endNs) {
        long nowNs = System.nanoTime();
        if (nowNs < endNs) {
            sender.send(nowNs, tally, ending -> {
                if (ending == Ending.ANSWERED) {
                    askOnAndOn(tally, endNs);
                }
            });
        }
    }

    private Interval cut(Tally tally, long nowNs) {
        Interval interval = tally.cut(nowNs);
        live.accept(interval);
        return interval;
    }
}
