package org.daedalus.load;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.daedalus.client.DaedalusException;

/**
 * A whole run of load, its warm-up left out.
 *
 * @param total everything between the warm-up's end and the last answer
 * @param intervals the same, second by second
 * @param lastFailure the last request that ended in an error; null if none did
 */
public record Report(Interval total, List<Interval> intervals, DaedalusException lastFailure) {
    static Report of(List<Interval> intervals, DaedalusException lastFailure) {
        double seconds = 0;
        long rows = 0;
        Histogram latency = Tally.histogram();
        Map<Ending, Long> endings = new EnumMap<>(Ending.class);
        for (Interval interval : intervals) {
            seconds += interval.seconds();
            latency.add(interval.latency());
            rows += interval.rows();
            interval.endings().forEach((ending, count) -> endings.merge(ending, count, Long::sum));
        }
        return new Report(new Interval(seconds, latency, rows, endings), List.copyOf(intervals), lastFailure);
    }
}
