package org.daedalus.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The outcome of one kind of requests.
 *
 * @param name what they are called
 * @param isClosed whether so many were in flight at any time, and left as answers came
 * @param inFlightMax how many could be unanswered at a time
 * @param latenessNsMax how late one could still be sent
 * @param report latencies and counts
 * @param offered requests that were due in the reported time; in a closed loop those that ended in it, and those that
 *     were in flight when it did
 * @param lateness microseconds by which the generator itself sent later than due
 */
record LoadOutcome(String name, boolean isClosed, int inFlightMax, long latenessNsMax, Report report, long offered,
        Histogram lateness) {
    /** One send in a hundred that is later than this shows in the latencies that are reported. */
    static final long LATENESS_US_SHOWN = 10_000;

    /** Requests that were sent and had not ended when the run did; an update among them may still take effect. */
    long unanswered() {
        return offered - report.total().endings().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Milliseconds below which {@code percent} of the sends were late; NaN if nothing was sent. */
    double latenessMs(double percent) {
        return lateness.getTotalCount() == 0 ? Double.NaN : lateness.getValueAtPercentile(percent) / 1e3;
    }

    /** Lists where the generator, not the cluster, decided what was measured; empty: nowhere. */
    List<String> generatorLimits() {
        List<String> limits = new ArrayList<>();
        long behind = report.total().count(Ending.NOT_SENT_BEHIND);
        long heldBack = report.total().count(Ending.NOT_SENT_IN_FLIGHT);
        if (behind > 0) {
            limits.add(String.format("the generator was behind its own schedule: %,d of %,d %s were not sent, being "
                    + "more than %d ms late; it has too little processor time for this rate", behind, offered, name,
                    latenessNsMax / 1_000_000));
        } else if (lateness.getTotalCount() > 0 && lateness.getValueAtPercentile(99) > LATENESS_US_SHOWN) {
            limits.add(String.format("the generator sent late: one in a hundred %s more than %.1f ms, which is in "
                    + "their latencies", name, latenessMs(99)));
        }
        if (heldBack > 0) {
            limits.add(String.format("the in-flight maximum held the generator back: %,d of %,d %s were not sent, "
                    + "%,d being unanswered; the cluster does not keep up, or the maximum is too small", heldBack,
                    offered, name, inFlightMax));
        }
        return limits;
    }
}
