package org.daedalus.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A fixed number of requests in flight: each answer lets the next one leave, on the thread that brought it. Shows the
 * most that a system gives; latency counts from sending and is no more than number over throughput.
 *
 * <p>Only what ends within the reported time counts. What is refused or fails comes back after a pause, so that
 * refusals do not spin.
 */
final class ClosedStream implements LoadStream {
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Load load;
    private final long reportedNs;
    private final long endNs;
    private final Clock clock;
    private final Sender sender;
    private final Tally warmUp;
    private final Tally tally;
    private final Tally after;
    private final AtomicLong leftOver = new AtomicLong();
    private final List<Interval> intervals = new ArrayList<>();
    private long dueNs;

    /** Requests leave from {@code startNs} on, and none after {@code endNs}. */
    ClosedStream(Load load, long startNs, long reportedNs, long endNs, Clock clock) {
        this.load = load;
        this.reportedNs = reportedNs;
        this.endNs = endNs;
        this.clock = clock;
        this.sender = new Sender(load.target(), load.source(), clock);
        this.warmUp = new Tally(startNs);
        this.tally = new Tally(reportedNs);
        this.after = new Tally(endNs);
        this.dueNs = startNs;
    }

    @Override
    public long dueNs() {
        return dueNs;
    }

    /** Fills up to the number: at first, and after refusals. */
    @Override
    public void onDue() {
        long nowNs = clock.nowNs();
        for (int missing = load.inFlightMax() - sender.inFlight(); missing > 0 && nowNs < endNs; missing--) {
            askOnAndOn(nowNs);
        }
        dueNs = Math.max(clock.nowNs(), dueNs) + PAUSE_NS;
    }

    @Override
    public int inFlight() {
        return sender.inFlight();
    }

    @Override
    public Interval cut(long nowNs) {
        Interval interval = tally.cut(Math.min(nowNs, endNs));
        if (interval.seconds() > 0 || !interval.endings().isEmpty()) {
            intervals.add(interval);
        }
        return interval;
    }

    @Override
    public LoadOutcome outcome() {
        Report report = Report.of(intervals, tally.lastFailure());
        long ended = report.total().endings().values().stream().mapToLong(Long::longValue).sum();
        long unanswered = leftOver.get() + sender.inFlight();
        return new LoadOutcome(load.name(), true, load.inFlightMax(), 0, report, ended + unanswered,
                Tally.histogram());
    }

    private void askOnAndOn(long nowNs) {
        sender.send(nowNs, this::tallyAt, ending -> {
            long endedNs = clock.nowNs();
            if (endedNs < endNs && ending == Ending.ANSWERED) {
                askOnAndOn(endedNs);
            }
        });
    }

    private Tally tallyAt(long nowNs) {
        if (nowNs >= endNs) {
            leftOver.incrementAndGet();
            return after;
        }
        return nowNs < reportedNs ? warmUp : tally;
    }
}
