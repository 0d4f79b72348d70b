package org.daedalus.load;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.daedalus.output.Json;

/**
 * Writes the outcome of a run as one JSON object, for the records of experiments: the queries' members, and those of
 * the updates as the member "updates" if there were any. Latencies are in milliseconds, NaN is null.
 */
final class OutcomeJson {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private OutcomeJson() {}

    /** Writes the outcome of queries, and of updates beside them. */
    static String of(List<LoadOutcome> outcomes, OwnShare own) {
        Json json = new Json().open('{');
        boolean isLimited = outcomes.stream().anyMatch(outcome -> !outcome.generatorLimits().isEmpty());
        isLimited |= !own.limits().isEmpty();
        json.key("generator_limited").literal(Boolean.toString(isLimited));
        own(outcomes, own, json);
        members(outcomes.get(0), json);
        for (LoadOutcome beside : outcomes.subList(1, outcomes.size())) {
            json.key(beside.name()).open('{');
            members(beside, json);
            json.close('}');
        }
        return json.close('}').toString();
    }

    /** Writes the outcome of updates alone, with the pauses between their confirmations. */
    static String ofUpdates(List<LoadOutcome> outcomes, OwnShare own, AnswerGaps gaps, double... percentiles) {
        Json json = new Json().open('{');
        own(outcomes, own, json);
        members(outcomes.get(0), json);
        json.key("gaps_ms").open('{');
        for (double percentile : percentiles) {
            String name = percentile == 100 ? "max" : Double.toString(percentile).replace(".0", "");
            json.key(name).literal(number(gaps.milliseconds(percentile)));
        }
        return json.close('}').close('}').toString();
    }

    /** Writes what the generator itself took, for all requests that were answered, whatever their kind. */
    private static void own(List<LoadOutcome> outcomes, OwnShare own, Json json) {
        long answered = outcomes.stream().mapToLong(outcome -> outcome.report().total().answered()).sum();
        json.key("generator").open('{')
                .key("cpu_seconds").literal(Double.toString(own.cpuSeconds()))
                .key("cpu_us_per_request").literal(number(own.cpuMicrosOf(answered)))
                .key("busiest_thread").string(own.busiestThread())
                .key("busiest_thread_share").literal(Double.toString(own.busiestShare()))
                .key("limits").open('[');
        own.limits().forEach(json::string);
        json.close(']').close('}');
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "null" : Double.toString(value);
    }

    private static void members(LoadOutcome outcome, Json json) {
        json.key("loop").string(outcome.isClosed() ? "closed" : "open");
        json.key("in_flight_max").number(outcome.inFlightMax());
        json.key("offered").number(outcome.offered());
        counts(outcome.report().total(), json);
        json.key("unanswered").number(outcome.unanswered());
        json.key("late_sends_ms_p99").literal(milliseconds(outcome.lateness(), 99));
        json.key("generator_limits").open('[');
        outcome.generatorLimits().forEach(json::string);
        json.close(']');
        if (outcome.report().lastFailure() != null) {
            json.key("last_failure").string(outcome.report().lastFailure().getMessage());
        }
        json.key("per_second").open('[');
        for (Interval interval : outcome.report().intervals()) {
            json.open('{');
            counts(interval, json);
            json.close('}');
        }
        json.close(']');
    }

    private static void counts(Interval interval, Json json) {
        json.key("seconds").literal(Double.toString(interval.seconds()))
                .key("answered").number(interval.answered())
                .key("answered_per_second").literal(Double.toString(interval.answeredPerSecond()))
                .key("rows").number(interval.rows())
                .key("refused").number(interval.refused())
                .key("expired").number(interval.expired())
                .key("failed").number(interval.failed())
                .key("unknown").number(interval.unknown())
                .key("not_sent").number(interval.notSent())
                .key("not_sent_because").open('{');
        for (Ending why : List.of(Ending.NOT_SENT_IN_FLIGHT, Ending.NOT_SENT_BEHIND)) {
            json.key(why.key()).number(interval.count(why));
        }
        json.close('}').key("latency_ms").open('{');
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
