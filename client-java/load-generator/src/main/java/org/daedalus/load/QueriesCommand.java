package org.daedalus.load;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.daedalus.client.DaedalusClient;
import org.daedalus.workload.ChangeProportions;
import org.daedalus.workload.Schedule;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Queries at a fixed mean rate, whatever the answers do, or so many at any time, and updates beside them; one JSON
 * object as the outcome.
 */
@Command(name = "queries", mixinStandardHelpOptions = true, description = {
    "Sends queries on tickets, and changes of tickets beside them, at times that are fixed beforehand (Poisson "
        + "processes) and counts latency from the time each was due. Progress and a summary go to standard error, the "
        + "outcome as JSON to standard output.",
    "Whatever was due is counted once:",
    "  answered    the whole answer came, or the update was confirmed",
    "  refused     the cluster had no room for it (RETRY, SQLSTATE 53...): nothing happened",
    "  expired     no answer within --deadline-ms",
    "  failed      any other error: nobody to be reached, a node lost, rows refused",
    "  unknown     an update that had left and may have taken effect; most often its deadline passed",
    "  not sent    the generator kept it back: --in-flight-max (--updates-in-flight-max) were unanswered when it was "
        + "due, or the generator itself came to it more than --late-ms-max too late (behind schedule)",
    "  unanswered  neither of these when the run ended",
    "Where something was not sent, or sent late, or a thread of the generator was busy for more than 90 % of the time, "
        + "the generator was the limit: it says so, and \"generator_limited\" is true. A run ends at the "
        + "latest --drain-seconds after its last request was due."})
final class QueriesCommand implements Callable<Integer> {
    private static final int SECONDS_MAX = 3_600;
    private static final int IN_FLIGHT_MAX = 1_000_000;
    private static final int DIFFERENT_MAX = 1_000_000;
    /** Requests that have ended for the generator and not yet for the client. */
    private static final int IN_FLIGHT_SPARE = 64;
    private static final long UPDATES_SEED = 0x75;

    @Option(names = "--cluster", required = true, split = ",", paramLabel = "HOST:PORT",
            description = "aggregators")
    private String[] aggregators;

    @Mixin
    private TicketOptions loaded;

    @Option(names = "--different", defaultValue = "20000", paramLabel = "N",
            description = "queries that are made before the start; after so many the first comes again, which is no "
                + "longer a new statement (${DEFAULT-VALUE})")
    private int different;

    @Option(names = "--rate", paramLabel = "N", description = "queries a second, on average; or --in-flight")
    private Double rate;

    @Option(names = "--in-flight", paramLabel = "N",
            description = "instead of a rate: so many queries at any time, each answer lets the next one leave. Shows "
                + "the most that a cluster gives; only answers within --seconds count, latency counts from sending.")
    private Integer inFlight;

    @Option(names = "--update-rate", defaultValue = "0", paramLabel = "N",
            description = "updates a second beside them, on average: an airline's changes of its tickets, new bookings "
                + "and deletes among them. Give each run a --seed of its own, or it books the same once more. (none)")
    private double updateRate;

    @Option(names = "--updates-of-bookings",
            description = "only updates that name a booking by its reference and change rows of it")
    private boolean updatesOfBookings;

    @Option(names = "--seconds", defaultValue = "10", paramLabel = "N", description = "measured (${DEFAULT-VALUE})")
    private int seconds;

    @Option(names = "--warm-up-seconds", defaultValue = "3", paramLabel = "N",
            description = "before, not measured (${DEFAULT-VALUE})")
    private int warmUpSeconds;

    @Option(names = "--drain-seconds", defaultValue = "10", paramLabel = "N",
            description = "answers are waited for after the last request (${DEFAULT-VALUE})")
    private int drainSeconds;

    @Option(names = "--deadline-ms", paramLabel = "N",
            description = "how long an answer is of use after its request was sent (default: --drain-seconds, which it "
                + "must not exceed)")
    private Long deadlineMs;

    @Option(names = "--in-flight-max", defaultValue = "4096", paramLabel = "N",
            description = "queries without an answer; one more that falls due is not sent (${DEFAULT-VALUE})")
    private int inFlightMax;

    @Option(names = "--updates-in-flight-max", defaultValue = "1024", paramLabel = "N",
            description = "the same of updates (${DEFAULT-VALUE})")
    private int updatesInFlightMax;

    @Option(names = "--late-ms-max", defaultValue = "100", paramLabel = "N",
            description = "how much later than due a request is still sent (${DEFAULT-VALUE})")
    private int lateMsMax;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "of times, queries and updates")
    private long seed;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        check();
        Schedule schedule = loaded.schedule();
        Duration drain = Duration.ofSeconds(drainSeconds);
        Duration deadline = deadlineMs == null ? drain : Duration.ofMillis(deadlineMs);
        TicketQueries queries = loaded.queries(schedule, seed, different);
        TicketChanges changes = updateRate > 0 ? changes(schedule) : null;
        int queriesInFlight = inFlight == null ? inFlightMax : inFlight;
        try (DaedalusClient client = DaedalusClient.builder().aggregators(aggregators).name("load-generator")
                .requestTimeout(drain).inFlightMax(queriesInFlight + updatesInFlightMax + IN_FLIGHT_SPARE)
                .repeatRefused(false).build()) {
            client.await(client.describe());
            List<Load> loads = new ArrayList<>();
            Target target = Target.queries(client, deadline);
            loads.add(inFlight == null ? new Load("queries", rate, inFlightMax, seed, queries, target)
                    : new Load("queries", 0, inFlight, seed, queries, target));
            if (changes != null) {
                loads.add(new Load("updates", updateRate, updatesInFlightMax, seed + UPDATES_SEED, changes,
                        Target.updates(client, deadline)));
            }
            OwnCost cost = new OwnCost();
            List<LoadOutcome> outcomes = new LoadRun(loads, Clock.SYSTEM, cost,
                    second -> System.err.println(OutcomeText.second(second))).run(new LoadRun.Plan(
                            Duration.ofSeconds(warmUpSeconds), Duration.ofSeconds(seconds), drain,
                            Duration.ofMillis(lateMsMax)));
            System.err.print(OutcomeText.of(outcomes, cost.share()));
            System.out.println(OutcomeJson.of(outcomes, cost.share()));
            return 0;
        }
    }

    private void check() {
        require(lateMsMax >= 1, "--late-ms-max must be above 0");
        require(inFlightMax >= 1 && inFlightMax <= IN_FLIGHT_MAX && updatesInFlightMax >= 1
                && updatesInFlightMax <= IN_FLIGHT_MAX, String.format(
                        "--in-flight-max and --updates-in-flight-max must be from 1 to %,d", IN_FLIGHT_MAX));
        require(different >= 1 && different <= DIFFERENT_MAX, String.format("--different must be from 1 to %,d",
                DIFFERENT_MAX));
        require((rate == null) != (inFlight == null), "give either --rate or --in-flight");
        require(inFlight == null || inFlight >= 1 && inFlight <= IN_FLIGHT_MAX, String.format(
                "--in-flight must be from 1 to %,d", IN_FLIGHT_MAX));
        require((rate == null || rate > 0 && rate <= Arrivals.PER_SECOND_MAX) && updateRate >= 0
                && updateRate <= Arrivals.PER_SECOND_MAX, String.format("--rate must be above 0, --update-rate at "
                        + "least 0, both at most %,.0f", Arrivals.PER_SECOND_MAX));
        require(seconds >= 1 && warmUpSeconds >= 0 && drainSeconds >= 1 && seconds <= SECONDS_MAX
                && warmUpSeconds <= SECONDS_MAX && drainSeconds <= SECONDS_MAX, String.format(
                        "--seconds and --drain-seconds must be from 1, --warm-up-seconds from 0 to %,d", SECONDS_MAX));
        require(deadlineMs == null || deadlineMs >= 1 && deadlineMs <= drainSeconds * 1_000L,
                "--deadline-ms must be from 1 to --drain-seconds, so that every request ends while it is waited for");
    }

    private void require(boolean isFine, String otherwise) {
        if (!isFine) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private TicketChanges changes(Schedule schedule) {
        double expected = updateRate * (warmUpSeconds + seconds);
        return new TicketChanges(loaded.sold(schedule), loaded.tickets(), seed, updateRate, expected,
                updatesOfBookings ? ChangeProportions.ofBookings() : ChangeProportions.defaults());
    }
}
