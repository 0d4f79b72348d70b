package org.daedalus.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.daedalus.client.DaedalusClient;
import org.daedalus.workload.Schedule;
import org.daedalus.workload.TicketGenerator;
import org.daedalus.workload.TicketParameters;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Queries at a fixed mean rate, and updates beside them, whatever the answers do; one JSON object as the outcome. */
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
    "Where something was not sent, or sent late, the generator was the limit: it says so, and \"generator_limited\" is "
        + "true. A run ends at the latest --drain-seconds after its last request was due."})
final class QueriesCommand implements Callable<Integer> {
    private static final int SECONDS_MAX = 3_600;
    private static final int IN_FLIGHT_MAX = 1_000_000;
    /** Requests that have ended for the generator and not yet for the client. */
    private static final int IN_FLIGHT_SPARE = 64;
    private static final long UPDATES_SEED = 0x75;

    @Option(names = "--cluster", required = true, split = ",", paramLabel = "HOST:PORT",
            description = "aggregators")
    private String[] aggregators;

    @Option(names = "--flights", defaultValue = "build/demo/flights.csv", paramLabel = "FILE.csv",
            description = "the schedule the tickets were sold on (${DEFAULT-VALUE})")
    private Path flights;

    @Option(names = "--tickets", required = true, paramLabel = "N", description = "tickets that were loaded")
    private long tickets;

    @Option(names = "--tickets-seed", required = true, paramLabel = "N", description = "their seed")
    private long ticketsSeed;

    @Option(names = "--mix", defaultValue = "booking", paramLabel = "MIX",
            description = "booking, or any:S for attributes drawn by Zipf(S) (${DEFAULT-VALUE})")
    private String mix;

    @Option(names = "--rate", required = true, paramLabel = "N", description = "queries a second, on average")
    private double rate;

    @Option(names = "--update-rate", defaultValue = "0", paramLabel = "N",
            description = "updates a second beside them, on average: an airline's changes of its tickets, new bookings "
                + "and deletes among them. Give each run a --seed of its own, or it books the same once more. (none)")
    private double updateRate;

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
        Schedule schedule = Schedule.read(flights);
        Duration drain = Duration.ofSeconds(drainSeconds);
        Duration deadline = deadlineMs == null ? drain : Duration.ofMillis(deadlineMs);
        TicketQueries queries = queries(schedule);
        TicketChanges changes = updateRate > 0 ? changes(schedule) : null;
        try (DaedalusClient client = DaedalusClient.builder().aggregators(aggregators).name("load-generator")
                .requestTimeout(drain).inFlightMax(inFlightMax + updatesInFlightMax + IN_FLIGHT_SPARE)
                .repeatRefused(false).build()) {
            client.await(client.describe());
            List<Load> loads = new ArrayList<>();
            loads.add(new Load("queries", rate, inFlightMax, seed, queries, Target.queries(client, deadline)));
            if (changes != null) {
                loads.add(new Load("updates", updateRate, updatesInFlightMax, seed + UPDATES_SEED, changes,
                        Target.updates(client, deadline)));
            }
            List<LoadOutcome> outcomes = new OpenLoop(loads, Clock.SYSTEM,
                    second -> System.err.println(OutcomeText.second(second))).run(new OpenLoop.Plan(
                            Duration.ofSeconds(warmUpSeconds), Duration.ofSeconds(seconds), drain,
                            Duration.ofMillis(lateMsMax)));
            System.err.print(OutcomeText.of(outcomes));
            System.out.println(OutcomeJson.of(outcomes));
            return 0;
        }
    }

    private void check() {
        require(tickets >= 1 && lateMsMax >= 1, "--tickets and --late-ms-max must be above 0");
        require(inFlightMax >= 1 && inFlightMax <= IN_FLIGHT_MAX && updatesInFlightMax >= 1
                && updatesInFlightMax <= IN_FLIGHT_MAX, String.format(
                        "--in-flight-max and --updates-in-flight-max must be from 1 to %,d", IN_FLIGHT_MAX));
        require(rate > 0 && rate <= Arrivals.PER_SECOND_MAX && updateRate >= 0
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

    private TicketGenerator sold(Schedule schedule) {
        return new TicketGenerator(schedule, ticketsSeed, TicketParameters.defaults());
    }

    private TicketQueries queries(Schedule schedule) {
        try {
            return TicketQueries.of(mix, sold(schedule), tickets, seed);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--mix " + mix + ": " + e.getMessage());
        }
    }

    private TicketChanges changes(Schedule schedule) {
        double expected = updateRate * (warmUpSeconds + seconds);
        return new TicketChanges(sold(schedule), tickets, seed, updateRate, expected);
    }
}
