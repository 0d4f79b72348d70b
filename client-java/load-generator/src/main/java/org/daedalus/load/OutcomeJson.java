package org.daedalus.load;

import org.HdrHistogram.Histogram;
import org.daedalus.output.Json;

/** An outcome as one JSON object, for the records of experiments. Latencies are in milliseconds, NaN is null. */
final class OutcomeJson {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private OutcomeJson() {}

    static String of(OpenLoop.Outcome outcome) {
        Interval total = outcome.report().total();
        Json json = new Json().open('{').key("offered").number(outcome.offered());
        counts(total, json);
        json.key("unanswered").number(outcome.unanswered());
        json.key("late_sends_ms_p99").literal(milliseconds(outcome.lateness(), 99));
        if (outcome.report().lastFailure() != null) {
            json.key("last_failure").string(outcome.report().lastFailure().getMessage());
        }
        json.key("per_second").open('[');
        for (Interval interval : outcome.report().intervals()) {
            json.open('{');
            counts(interval, json);
            json.close('}');
        }
        return json.close(']').close('}').toString();
    }

    private static void counts(Interval interval, Json json) {
        json.key("seconds").literal(Double.toString(interval.seconds()))
                .key("answered").number(interval.answered())
                .key("answered_per_second").literal(Double.toString(interval.answeredPerSecond()))
                .key("rows").number(interval.rows())
                .key("refused").number(interval.refused())
                .key("failed").number(interval.failed())
                .key("latency_ms").open('{');
        for (double percentile : PERCENTILES) {
            String name = Double.toString(percentile).replace(".0", "");
            json.key(name).literal(milliseconds(interval.latency(), percentile));
        }
        json.key("max").literal(milliseconds(interval.latency(), 100)).close('}');
    }

    private static String milliseconds(Histogram micros, double percentile) {
        return micros.getTotalCount() == 0 ? "null" : Double.toString(micros.getValueAtPercentile(percentile) / 1e3);
    }
}
