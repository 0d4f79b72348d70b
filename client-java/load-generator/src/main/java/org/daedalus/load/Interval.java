package org.daedalus.load;

import org.HdrHistogram.Histogram;

/**
 * What happened in one stretch of time.
 *
 * @param seconds its length
 * @param latency microseconds from the intended send time to the last row, of queries answered in it
 * @param answered queries answered in full
 * @param rows rows of those answers
 * @param refused queries refused with RETRY, by the client's or the cluster's bounds
 * @param failed queries that failed otherwise
 */
public record Interval(double seconds, Histogram latency, long answered, long rows, long refused, long failed) {
    public double answeredPerSecond() {
        return seconds <= 0 ? 0 : answered / seconds;
    }

    /** Milliseconds below which {@code percent} of the answers came. */
    public double latencyMs(double percent) {
        return latency.getTotalCount() == 0 ? Double.NaN : latency.getValueAtPercentile(percent) / 1e3;
    }

    public double latencyMaxMs() {
        return latency.getTotalCount() == 0 ? Double.NaN : latency.getMaxValue() / 1e3;
    }
}
