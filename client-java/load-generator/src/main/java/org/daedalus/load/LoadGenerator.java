package org.daedalus.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.daedalus.channel.ProcessEnd;
import org.daedalus.client.DaedalusClient;
import org.daedalus.workload.Schedule;
import org.daedalus.workload.SqlStatement;
import org.daedalus.workload.TicketGenerator;
import org.daedalus.workload.TicketParameters;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** `daedalus-load-generator queries`: open-loop load of ticket queries, one JSON object as the outcome. */
@Command(name = "daedalus-load-generator", subcommands = LoadGenerator.Queries.class, mixinStandardHelpOptions = true,
        description = "Puts load on a cluster and measures what it answers.")
public final class LoadGenerator {
    private LoadGenerator() {}

    public static void main(String[] arguments) {
        ProcessEnd.onOutOfMemoryOf("daedalus-load-generator");
        System.exit(new CommandLine(new LoadGenerator()).execute(arguments));
    }

    /** Queries at a fixed mean rate, whatever the answers do. */
    @Command(name = "queries", mixinStandardHelpOptions = true, description = {
        "Sends queries on tickets at times that are fixed beforehand (a Poisson process) and counts latency from the",
        "time each query was due. Progress goes to standard error, the outcome to standard output."})
    static final class Queries implements Callable<Integer> {
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

        @Option(names = "--seconds", defaultValue = "10", paramLabel = "N", description = "measured (${DEFAULT-VALUE})")
        private int seconds;

        @Option(names = "--warm-up-seconds", defaultValue = "3", paramLabel = "N",
                description = "before, not measured (${DEFAULT-VALUE})")
        private int warmUpSeconds;

        @Option(names = "--drain-seconds", defaultValue = "10", paramLabel = "N",
                description = "answers are waited for after the last query (${DEFAULT-VALUE})")
        private int drainSeconds;

        @Option(names = "--in-flight-max", defaultValue = "4096", paramLabel = "N",
                description = "queries in flight; one more counts as refused (${DEFAULT-VALUE})")
        private int inFlightMax;

        @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "of times and queries")
        private long seed;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() throws IOException {
            if (!(rate > 0) || tickets < 1 || seconds < 1 || inFlightMax < 1) {
                throw new ParameterException(spec.commandLine(),
                        "--rate, --tickets, --seconds and --in-flight-max must be above 0");
            }
            Supplier<SqlStatement> source = source();
            try (DaedalusClient client = DaedalusClient.builder().aggregators(aggregators).name("load-generator")
                    .requestTimeout(Duration.ofSeconds(drainSeconds)).inFlightMax(inFlightMax).repeatRefused(false)
                    .build()) {
                client.await(client.describe());
                OpenLoop.Plan plan = new OpenLoop.Plan(rate, Duration.ofSeconds(warmUpSeconds),
                        Duration.ofSeconds(seconds), Duration.ofSeconds(drainSeconds), seed);
                System.out.println(OutcomeJson.of(new OpenLoop(client, source, Queries::show).run(plan)));
                return 0;
            }
        }

        private Supplier<SqlStatement> source() throws IOException {
            TicketGenerator sold =
                    new TicketGenerator(Schedule.read(flights), ticketsSeed, TicketParameters.defaults());
            try {
                return TicketQueries.of(mix, sold, tickets, seed);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), "--mix " + mix + ": " + e.getMessage());
            }
        }

        private static void show(Interval interval) {
            System.err.printf("%,9.0f answered/s  p50 %7.2f ms  p99 %7.2f ms  refused %d  failed %d%n",
                    interval.answeredPerSecond(), interval.latencyMs(50), interval.latencyMs(99), interval.refused(),
                    interval.failed());
        }
    }
}
