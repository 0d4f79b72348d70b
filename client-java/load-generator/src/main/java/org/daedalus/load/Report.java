package org.daedalus.load;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.daedalus.client.DaedalusException;

/**
 * A whole run of load, its warm-up left out.
 *
 * @param total everything between the warm-up's end and the last answer
 * @param intervals the same, second by second
 * @param lastFailure the last query that was refused or failed; null if none did
 */
public record Report(Interval total, List<Interval> intervals, DaedalusException lastFailure) {
    static Report of(List<Interval> intervals, DaedalusException lastFailure) {
        double seconds = 0;
        long answered = 0;
        long rows = 0;
        long refused = 0;
        long failed = 0;
        Histogram latency = intervals.isEmpty() ? new Histogram(1) : new Histogram(intervals.get(0).latency());
        for (Interval interval : intervals) {
            seconds += interval.seconds();
            latency.add(interval.latency());
            answered += interval.answered();
            rows += interval.rows();
            refused += interval.refused();
            failed += interval.failed();
        }
        return new Report(new Interval(seconds, latency, answered, rows, refused, failed), List.copyOf(intervals),
                lastFailure);
    }
}
