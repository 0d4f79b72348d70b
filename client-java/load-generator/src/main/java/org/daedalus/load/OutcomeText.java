package org.daedalus.load;

import java.util.List;

/** Tells people what happens, and what came of it. */
final class OutcomeText {
    private OutcomeText() {}

    /** Returns one second on one line: queries, and updates beside them. */
    static String second(List<Interval> intervals) {
        StringBuilder line = new StringBuilder();
        for (Interval each : intervals) {
            line.append(line.isEmpty() ? "" : "  | updates ")
                    .append(String.format("%,9.0f answered/s  p50 %7.2f ms  p99 %7.2f ms  %s",
                            each.answeredPerSecond(), each.latencyMs(50), each.latencyMs(99), notAnswered(each)));
        }
        return line.toString();
    }

    /** Returns the whole run, a few lines for each kind of requests; first of all where the generator was the limit. */
    static String of(List<LoadOutcome> outcomes, OwnShare own) {
        StringBuilder text = new StringBuilder();
        own.limits().forEach(limit -> text.append("NOTE: ").append(limit).append('\n'));
        for (LoadOutcome outcome : outcomes) {
            outcome.generatorLimits().forEach(limit -> text.append("NOTE: ").append(limit).append('\n'));
        }
        for (LoadOutcome outcome : outcomes) {
            Interval total = outcome.report().total();
            text.append(String.format("%s: %,d %s, %,d answered, %s, %,d still unanswered%n", outcome.name(),
                    outcome.offered(), outcome.isClosed() ? "sent" : "due", total.answered(), notAnswered(total),
                    outcome.unanswered()));
            if (total.answered() > 0 && outcome.isClosed()) {
                text.append(String.format("  %,d in flight: %,.0f answered a second; p50 %.2f ms, p99 %.2f ms, slowest "
                        + "%.2f ms%n", outcome.inFlightMax(), total.answeredPerSecond(), total.latencyMs(50),
                        total.latencyMs(99), total.latencyMaxMs()));
            } else if (total.answered() > 0) {
                text.append(String.format("  from when they were due: p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, slowest "
                        + "%.2f ms; 99 of 100 left within %.2f ms%n", total.latencyMs(50), total.latencyMs(90),
                        total.latencyMs(99), total.latencyMaxMs(), outcome.latenessMs(99)));
            }
            if (outcome.report().lastFailure() != null) {
                text.append("  the last error: ").append(outcome.report().lastFailure().getMessage()).append('\n');
            }
        }
        long answered = outcomes.stream().mapToLong(outcome -> outcome.report().total().answered()).sum();
        text.append(String.format("the generator itself: %.1f µs of processor time a request, its thread %s busy "
                + "%.0f %% of the time%n", own.cpuMicrosOf(answered), own.busiestThread(), 100 * own.busiestShare()));
        return text.toString();
    }

    private static String notAnswered(Interval interval) {
        String text = String.format("%,d refused, %,d expired, %,d failed, ", interval.refused(), interval.expired(),
                interval.failed());
        text += interval.unknown() == 0 ? "" : String.format("%,d unknown, ", interval.unknown());
        text += String.format("%,d not sent", interval.notSent());
        return text + (interval.notSent() == 0 ? "" : String.format(" (%,d in-flight maximum, %,d behind schedule)",
                interval.count(Ending.NOT_SENT_IN_FLIGHT), interval.count(Ending.NOT_SENT_BEHIND)));
    }
}
