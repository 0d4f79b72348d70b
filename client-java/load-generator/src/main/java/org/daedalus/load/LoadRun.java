package org.daedalus.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Puts loads on a cluster side by side, for a while. In an open loop ({@link OpenStream}) requests leave when they are
 * due, whatever happened to those before them, and their latency counts from when they were due; in a closed one
 * ({@link ClosedStream}) so many are in flight at any time.
 *
 * <p>The run never falls behind by more than a bound: a request that is due while as many as allowed are in flight, or
 * that the loop comes to too late itself, is counted as not sent and costs next to nothing. So a run ends when it was
 * meant to, whatever it is put on: after warm-up and duration, plus at most the greatest lateness, plus draining.
 */
final class LoadRun {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long DRAIN_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Says when a run warms up, reports and ends.
     *
     * @param warmUp not reported
     * @param duration reported
     * @param drain how long answers are waited for after the last request was due
     * @param latenessMax how much later than due the loop itself may send
     */
    record Plan(Duration warmUp, Duration duration, Duration drain, Duration latenessMax) {}

    private final List<Load> loads;
    private final Clock clock;
    private final Meter meter;
    private final Consumer<List<Interval>> live;
    private boolean isReporting;
    private List<LoadStream> streams;
    private long cutNs;

    /** Is told when the reported time begins and ends. */
    interface Meter {
        void begin(long nowNs);

        void end(long nowNs);
    }

    /** Sends nothing yet. {@code live} is told of every second, an interval for each of {@code loads}. */
    LoadRun(List<Load> loads, Clock clock, Meter meter, Consumer<List<Interval>> live) {
        this.loads = List.copyOf(loads);
        this.clock = clock;
        this.meter = meter;
        this.live = live;
    }

    /** Runs in the calling thread until everything due was sent and has ended, or draining took too long. */
    List<LoadOutcome> run(Plan plan) {
        long startNs = clock.nowNs();
        long reportedNs = startNs + plan.warmUp().toNanos();
        long endNs = reportedNs + plan.duration().toNanos();
        long latenessNsMax = plan.latenessMax().toNanos();
        streams = new ArrayList<>();
        loads.forEach(load -> streams.add(load.isClosed()
                ? new ClosedStream(load, startNs, reportedNs, endNs, clock)
                : new OpenStream(load, startNs, reportedNs, latenessNsMax, clock)));
        cutNs = reportedNs + INTERVAL_NS;
        for (LoadStream next = earliest(); next.dueNs() < endNs; next = earliest()) {
            if (next.dueNs() >= reportedNs) {
                beginReport(reportedNs);
            }
            waitUntil(next.dueNs());
            next.onDue();
        }
        beginReport(reportedNs);
        waitUntil(endNs);
        meter.end(clock.nowNs());
        drain(endNs + plan.drain().toNanos());
        cut();
        return streams.stream().map(LoadStream::outcome).toList();
    }

    private void beginReport(long reportedNs) {
        if (!isReporting) {
            isReporting = true;
            waitUntil(reportedNs);
            meter.begin(clock.nowNs());
        }
    }

    private LoadStream earliest() {
        return streams.stream().min(Comparator.comparingLong(LoadStream::dueNs)).orElseThrow();
    }

    private void drain(long drainedNs) {
        while (clock.nowNs() < drainedNs && streams.stream().anyMatch(stream -> stream.inFlight() > 0)) {
            waitUntil(Math.min(drainedNs, clock.nowNs() + DRAIN_LOOK_NS));
        }
    }

    /** Waits, and ends the seconds that go by. */
    private void waitUntil(long dueNs) {
        while (cutNs <= dueNs) {
            clock.waitUntil(cutNs);
            cut();
            cutNs = Math.max(cutNs, clock.nowNs()) + INTERVAL_NS;
        }
        clock.waitUntil(dueNs);
    }

    private void cut() {
        long nowNs = clock.nowNs();
        List<Interval> second = streams.stream().map(stream -> stream.cut(nowNs)).toList();
        if (second.stream().anyMatch(interval -> interval.seconds() > 0)) {
            live.accept(second);
        }
    }
}
