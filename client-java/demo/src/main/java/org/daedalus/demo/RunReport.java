package org.daedalus.demo;

import java.io.PrintStream;
import org.HdrHistogram.Histogram;
import org.daedalus.load.Interval;
import org.daedalus.load.Report;

/**
 * The closing report.
 *
 * @param tickets rows loaded
 * @param loadSeconds how long loading took
 * @param questions how many the desk asked
 * @param slowestQuestionMs the slowest of them
 * @param concurrency queries in flight under load
 * @param load what the load came to
 * @param changesPerSecond the rate asked for
 * @param changes updates that took effect
 * @param changedRows rows of those
 * @param failedChanges updates that did not, may not have, or refused rows
 * @param changeLatency microseconds to confirmation under load
 * @param others what the machine did for others meanwhile; empty where that was next to nothing
 */
record RunReport(long tickets, double loadSeconds, int questions, double slowestQuestionMs, int concurrency,
        Report load, double changesPerSecond, long changes, long changedRows, long failedChanges,
        Histogram changeLatency, String others) {

    void print(PrintStream out) {
        Interval total = load.total();
        double changeMaxMs = changeLatency.getTotalCount() == 0 ? 0 : changeLatency.getMaxValue() / 1e3;
        out.println();
        out.println("Report");
        out.println("------");
        out.printf("tickets        %,d loaded in %.1f s: %,.0f rows a second%n", tickets, loadSeconds,
                tickets / loadSeconds);
        out.printf("the desk       %d questions, the slowest answered in %.1f ms%n", questions, slowestQuestionMs);
        out.printf("under load     %,d queries in flight for %.0f s: %,.0f queries a second, %,.0f rows a second%n",
                concurrency, total.seconds(), total.answeredPerSecond(), total.rows() / total.seconds());
        out.printf("  latency      p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, slowest %.1f ms%n", total.latencyMs(50),
                total.latencyMs(90), total.latencyMs(99), total.latencyMaxMs());
        out.printf("  not answered %,d refused, %,d expired, %,d failed%n", total.refused(), total.expired(),
                total.failed());
        out.printf("changes        %,d at %.0f a second, %,d rows, %,d failed%n", changes, changesPerSecond,
                changedRows, failedChanges);
        out.printf("  under load   confirmed within p50 %.1f ms, p99 %.1f ms, slowest %.1f ms%n",
                changeLatency.getValueAtPercentile(50) / 1e3, changeLatency.getValueAtPercentile(99) / 1e3,
                changeMaxMs);
        if (!others.isEmpty()) {
            out.printf("other work     %s: figures are worse for it%n", others);
        }
        double worstMs = Math.max(slowestQuestionMs, Math.max(total.latencyMaxMs(), changeMaxMs));
        out.println();
        out.printf("requirement    every query answered and every change visible within %.0f s%n",
                Requirement.LATENCY_MS_MAX / 1e3);
        out.printf("measured       slowest of all %.3f s: %s%n", worstMs / 1e3, Requirement.verdict(worstMs));
    }
}
