package org.daedalus.load;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Counts what happened to requests of one kind in one stretch of time.
 *
 * @param seconds its length
 * @param latency microseconds from the intended send time to the last row or the confirmation, of those answered in it
 * @param rows rows of those answers, or that those updates were applied to
 * @param endings how many came to which end; 0 where one is missing
 */
public record Interval(double seconds, Histogram latency, long rows, Map<Ending, Long> endings) {
    public long count(Ending ending) {
        return endings.getOrDefault(ending, 0L);
    }

    public long answered() {
        return count(Ending.ANSWERED);
    }

    public long refused() {
        return count(Ending.REFUSED);
    }

    public long expired() {
        return count(Ending.EXPIRED);
    }

    public long failed() {
        return count(Ending.FAILED);
    }

    public long unknown() {
        return count(Ending.UNKNOWN);
    }

    /** Requests that were due and that the generator did not send, for whatever reason. */
    public long notSent() {
        return count(Ending.NOT_SENT_IN_FLIGHT) + count(Ending.NOT_SENT_BEHIND);
    }

    public double answeredPerSecond() {
        return seconds <= 0 ? 0 : answered() / seconds;
    }

    /** Milliseconds below which {@code percent} of the answers came. */
    public double latencyMs(double percent) {
        return latency.getTotalCount() == 0 ? Double.NaN : latency.getValueAtPercentile(percent) / 1e3;
    }

    public double latencyMaxMs() {
        return latency.getTotalCount() == 0 ? Double.NaN : latency.getMaxValue() / 1e3;
    }
}
