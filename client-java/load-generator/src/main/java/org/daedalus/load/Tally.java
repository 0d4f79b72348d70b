package org.daedalus.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;

/** Counts answers and failures as they come, from any thread, and hands them out interval by interval. */
public final class Tally {
    /** Latencies keep three digits, up to ten minutes. */
    private static final int DIGITS = 3;
    private static final long LATENCY_US_MAX = TimeUnit.MINUTES.toMicros(10);

    private final Recorder recorder = new Recorder(LATENCY_US_MAX, DIGITS);
    private final LongAdder rows = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private volatile DaedalusException lastFailure;
    private long lastNs;

    Tally(long startNs) {
        lastNs = startNs;
    }

    void answered(long latencyNs, long rowCount) {
        recorder.recordValue(Math.min(Math.max(0, latencyNs / 1_000), LATENCY_US_MAX));
        rows.add(rowCount);
    }

    void failed(DaedalusException failure) {
        if (failure.category() == Category.RETRY) {
            refused.increment();
        } else {
            failed.increment();
        }
        lastFailure = failure;
    }

    /** Everything since the last call. One thread at a time. */
    Interval cut(long nowNs) {
        Histogram latency = recorder.getIntervalHistogram();
        double seconds = (nowNs - lastNs) / 1e9;
        lastNs = nowNs;
        return new Interval(seconds, latency, latency.getTotalCount(), rows.sumThenReset(), refused.sumThenReset(),
                failed.sumThenReset());
    }

    /** The last query that was refused or failed; null if none did. */
    public DaedalusException lastFailure() {
        return lastFailure;
    }
}
