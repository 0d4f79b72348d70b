package org.daedalus.load;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.daedalus.client.DaedalusException;

/** Counts endings as they come, from any thread, and hands them out interval by interval. */
final class Tally {
    /** Latencies keep so many digits, up to ten minutes. */
    private static final int DIGITS = 3;
    private static final long LATENCY_US_MAX = TimeUnit.MINUTES.toMicros(10);

    private Histogram latency = histogram();
    private Map<Ending, Long> endings = new EnumMap<>(Ending.class);
    private long rows;
    private DaedalusException lastFailure;
    private long lastNs;

    Tally(long startNs) {
        lastNs = startNs;
    }

    /** Makes a histogram of microseconds, which grows with what it is given, because one is kept for every second. */
    static Histogram histogram() {
        return new Histogram(DIGITS);
    }

    /** {@code durationNs} as such histograms take it: what is longer than ten minutes is cut to that. */
    static long micros(long durationNs) {
        return Math.min(Math.max(0, durationNs / 1_000), LATENCY_US_MAX);
    }

    synchronized void answered(long latencyNs, long rowCount) {
        latency.recordValue(micros(latencyNs));
        rows += rowCount;
        count(Ending.ANSWERED);
    }

    synchronized Ending failed(DaedalusException failure) {
        lastFailure = failure;
        Ending ending = Ending.of(failure);
        count(ending);
        return ending;
    }

    synchronized void notSent(Ending why) {
        count(why);
    }

    /** Everything since the last call. */
    synchronized Interval cut(long nowNs) {
        Interval interval = new Interval((nowNs - lastNs) / 1e9, latency, rows, endings);
        lastNs = nowNs;
        latency = histogram();
        endings = new EnumMap<>(Ending.class);
        rows = 0;
        return interval;
    }

    /** Returns the last request that ended in an error; null if none did. */
    synchronized DaedalusException lastFailure() {
        return lastFailure;
    }

    private void count(Ending ending) {
        endings.merge(ending, 1L, Long::sum);
    }
}
