package org.daedalus.load;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusClient;
import org.daedalus.workload.SqlStatement;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One update over and over, of another row each time: what updates cost from submission to confirmation. */
@Command(name = "updates", mixinStandardHelpOptions = true, description = {
    "Sends one update over and over, its parameter $1 a key that is another one each time, and counts what is "
        + "confirmed. The outcome goes to standard output as JSON, with the pauses between confirmations beside it."})
final class UpdatesCommand implements Callable<Integer> {
    private static final int IN_FLIGHT_MAX = 4_000;
    private static final int IN_FLIGHT_SPARE = 64;
    private static final int LATE_MS_MAX = 100;
    private static final double[] PERCENTILES = {50, 99, 99.9, 100};
    /** Near the golden ratio's share of 2^63 and odd: keys that follow each other lie far apart. */
    private static final long STRIDE = 0x4F1BBCDCBFA53E0BL;

    @Option(names = "--cluster", required = true, split = ",", paramLabel = "HOST:PORT", description = "aggregators")
    private String[] aggregators;

    @Option(names = "--sql", required = true, paramLabel = "UPDATE", description = "the update, with $1 for the key")
    private String sql;

    @Option(names = "--keys", required = true, paramLabel = "N", description = "keys are from 0 to N - 1")
    private int keys;

    @Option(names = "--rate", paramLabel = "N", description = "updates a second, on average; or as many as go")
    private Double rate;

    @Option(names = "--in-flight", defaultValue = "1000", paramLabel = "N",
            description = "most updates without a confirmation; without --rate always so many (${DEFAULT-VALUE})")
    private int inFlight;

    @Option(names = "--seconds", defaultValue = "5", paramLabel = "N", description = "measured (${DEFAULT-VALUE})")
    private int seconds;

    @Option(names = "--warm-up-seconds", defaultValue = "3", paramLabel = "N",
            description = "before, not measured (${DEFAULT-VALUE})")
    private int warmUpSeconds;

    @Option(names = "--drain-seconds", defaultValue = "10", paramLabel = "N",
            description = "confirmations are waited for after the last update (${DEFAULT-VALUE})")
    private int drainSeconds;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "of times and keys")
    private long seed;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        check();
        Duration drain = Duration.ofSeconds(drainSeconds);
        try (DaedalusClient client = DaedalusClient.builder().aggregators(aggregators).name("load-generator")
                .requestTimeout(drain).inFlightMax(inFlight + IN_FLIGHT_SPARE).repeatRefused(false).build()) {
            client.await(client.describe());
            OwnCost cost = new OwnCost();
            AnswerGaps gaps = new AnswerGaps(Target.updates(client, drain), Clock.SYSTEM, cost);
            Load load = new Load("updates", rate == null ? 0 : rate, inFlight, seed, source(sql, keys, seed), gaps);
            List<LoadOutcome> outcomes = new LoadRun(List.of(load), Clock.SYSTEM, gaps,
                    second -> System.err.println(OutcomeText.second(second))).run(new LoadRun.Plan(
                            Duration.ofSeconds(warmUpSeconds), Duration.ofSeconds(seconds), drain,
                            Duration.ofMillis(LATE_MS_MAX)));
            System.err.print(OutcomeText.of(outcomes, cost.share()));
            System.out.println(OutcomeJson.ofUpdates(outcomes, cost.share(), gaps, PERCENTILES));
            return 0;
        }
    }

    /** Returns the update with keys that a {@code seed} decides, each in its turn. Thread-safe. */
    static Supplier<SqlStatement> source(String sql, int keys, long seed) {
        AtomicLong number = new AtomicLong(seed * STRIDE);
        return () -> {
            long key = Long.remainderUnsigned(number.getAndAdd(STRIDE), keys);
            return new SqlStatement(sql, List.of((int) key));
        };
    }

    private void check() {
        require(keys >= 1, "--keys must be from 1");
        require(inFlight >= 1 && inFlight <= IN_FLIGHT_MAX, "--in-flight must be from 1 to " + IN_FLIGHT_MAX);
        require(rate == null || rate > 0 && rate <= Arrivals.PER_SECOND_MAX,
                String.format("--rate must be above 0 and at most %,.0f", Arrivals.PER_SECOND_MAX));
        require(seconds >= 1 && warmUpSeconds >= 0 && drainSeconds >= 1,
                "--seconds and --drain-seconds must be from 1, --warm-up-seconds from 0");
    }

    private void require(boolean isFine, String otherwise) {
        if (!isFine) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
