package org.daedalus.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Open-loop load: requests leave when they are due, whatever happened to those before them, and their latency counts
 * from when they were due.
 *
 * <p>The loop never falls behind by more than a bound: a request that is due while as many as allowed are in flight, or
 * that the loop comes to too late itself, is counted as not sent and costs next to nothing. So a run ends when it was
 * meant to, whatever it is put on: after warm-up and duration, plus at most the greatest lateness, plus draining.
 */
final class OpenLoop {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long DRAIN_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * When.
     *
     * @param warmUp not reported
     * @param duration reported
     * @param drain how long answers are waited for after the last request was due
     * @param latenessMax how much later than due the loop itself may send
     */
    record Plan(Duration warmUp, Duration duration, Duration drain, Duration latenessMax) {}

    private final List<Load> loads;
    private final Clock clock;
    private final Consumer<List<Interval>> live;
    private List<LoadStream> streams;
    private long cutNs;

    /** Sends nothing yet. {@code live} is told of every second, an interval for each of {@code loads}. */
    OpenLoop(List<Load> loads, Clock clock, Consumer<List<Interval>> live) {
        this.loads = List.copyOf(loads);
        this.clock = clock;
        this.live = live;
    }

    /** Runs in the calling thread until everything due was sent and has ended, or draining took too long. */
    List<LoadOutcome> run(Plan plan) {
        long startNs = clock.nowNs();
        long reportedNs = startNs + plan.warmUp().toNanos();
        long endNs = reportedNs + plan.duration().toNanos();
        long latenessNsMax = plan.latenessMax().toNanos();
        streams = new ArrayList<>();
        loads.forEach(load -> streams.add(new LoadStream(load, startNs, reportedNs, latenessNsMax, clock)));
        cutNs = reportedNs + INTERVAL_NS;
        for (LoadStream next = earliest(); next.dueNs() < endNs; next = earliest()) {
            waitUntil(next.dueNs());
            next.offer();
        }
        waitUntil(endNs);
        drain(endNs + plan.drain().toNanos());
        cut();
        return streams.stream().map(LoadStream::outcome).toList();
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
        live.accept(streams.stream().map(stream -> stream.cut(nowNs)).toList());
    }
}
