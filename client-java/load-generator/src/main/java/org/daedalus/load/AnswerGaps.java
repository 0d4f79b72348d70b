package org.daedalus.load;

import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.daedalus.workload.SqlStatement;

/**
 * A target whose answers are watched for pauses: the time from one answer to the next, whichever requests they belong
 * to. What was answered is recorded between {@link #begin} and {@link #end} only. Thread-safe.
 */
final class AnswerGaps implements Target, LoadRun.Meter {
    private final Target target;
    private final Clock clock;
    private final LoadRun.Meter meter;
    private final Histogram gaps = Tally.histogram();
    private boolean isRecording;
    private long lastNs;

    /** Passes everything on to {@code target}; {@code meter} is told of begin and end, too. */
    AnswerGaps(Target target, Clock clock, LoadRun.Meter meter) {
        this.target = target;
        this.clock = clock;
        this.meter = meter;
    }

    @Override
    public CompletableFuture<Long> send(SqlStatement statement) {
        return target.send(statement).whenComplete((rows, failure) -> {
            if (failure == null) {
                answered();
            }
        });
    }

    @Override
    public synchronized void begin(long nowNs) {
        isRecording = true;
        lastNs = nowNs;
        meter.begin(nowNs);
    }

    @Override
    public synchronized void end(long nowNs) {
        isRecording = false;
        meter.end(nowNs);
    }

    /** Milliseconds below which {@code percent} of the gaps are; NaN where there are none. */
    synchronized double milliseconds(double percent) {
        return gaps.getTotalCount() == 0 ? Double.NaN : gaps.getValueAtPercentile(percent) / 1e3;
    }

    private synchronized void answered() {
        long nowNs = clock.nowNs();
        if (isRecording) {
            gaps.recordValue(Tally.micros(nowNs - lastNs));
        }
        lastNs = nowNs;
    }
}
