package org.daedalus.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Requests that leave when they are due, whatever happened to those before them. */
final class OpenStream implements LoadStream {
    private final Load load;
    private final long startNs;
    private final long reportedNs;
    private final long latenessNsMax;
    private final Clock clock;
    private final Arrivals arrivals;
    private final Sender sender;
    private final Tally warmUp;
    private final Tally tally;
    private final Histogram lateness = Tally.histogram();
    private final List<Interval> intervals = new ArrayList<>();
    private long dueNs;
    private long offered;

    /** Requests that are due before {@code reportedNs} are sent, and not reported. */
    OpenStream(Load load, long startNs, long reportedNs, long latenessNsMax, Clock clock) {
        this.load = load;
        this.startNs = startNs;
        this.reportedNs = reportedNs;
        this.latenessNsMax = latenessNsMax;
        this.clock = clock;
        this.arrivals = new Arrivals(load.perSecond(), load.seed());
        this.sender = new Sender(load.target(), load.source(), clock);
        this.warmUp = new Tally(startNs);
        this.tally = new Tally(reportedNs);
        this.dueNs = startNs + arrivals.next();
    }

    @Override
    public long dueNs() {
        return dueNs;
    }

    @Override
    public int inFlight() {
        return sender.inFlight();
    }

    /** Sends the request that is due, or counts why not, and turns to the next one. */
    @Override
    public void onDue() {
        boolean isReported = dueNs >= reportedNs;
        Tally booked = isReported ? tally : warmUp;
        long lateNs = clock.nowNs() - dueNs;
        offered += isReported ? 1 : 0;
        if (sender.inFlight() >= load.inFlightMax()) {
            booked.notSent(Ending.NOT_SENT_IN_FLIGHT);
        } else if (lateNs > latenessNsMax) {
            booked.notSent(Ending.NOT_SENT_BEHIND);
        } else {
            if (isReported) {
                lateness.recordValue(Tally.micros(lateNs));
            }
            sender.send(dueNs, booked, ending -> { });
        }
        dueNs = startNs + arrivals.next();
    }

    @Override
    public Interval cut(long nowNs) {
        intervals.add(tally.cut(nowNs));
        return intervals.get(intervals.size() - 1);
    }

    @Override
    public LoadOutcome outcome() {
        return new LoadOutcome(load.name(), false, load.inFlightMax(), latenessNsMax,
                Report.of(intervals, tally.lastFailure()), offered, lateness);
    }
}
