package org.daedalus.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.daedalus.channel.ProcessEnd;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.Row;
import org.daedalus.load.Arrivals;
import org.daedalus.load.ClosedLoop;
import org.daedalus.load.Interval;
import org.daedalus.load.Report;
import org.daedalus.load.TicketQueries;
import org.daedalus.workload.ChangeProportions;
import org.daedalus.workload.ChangeSource;
import org.daedalus.workload.CommandVersion;
import org.daedalus.workload.Schedule;
import org.daedalus.workload.TicketGenerator;
import org.daedalus.workload.TicketParameters;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine;

/** A morning at an airline's operations desk, on a cluster that has its tickets. */
@Command(name = "daedalus-demo", mixinStandardHelpOptions = true, versionProvider = CommandVersion.class,
        description = {
    "Keeps the changes of an airline's tickets flowing, asks what an operations desk would ask, puts load on, reports.",
    "The cluster must hold the tickets that daedalus-workload made with the same number and seed."})
public final class Demo implements Callable<Integer> {
    /** The storm's day goes by with a thousand changes. */
    private static final Duration STORM_TIME_PER_CHANGE = Duration.ofSeconds(50);

    /** Beside the queries: five seconds of changes at the usual rate. */
    private static final int CHANGES_IN_FLIGHT_MAX = 1_024;

    @Option(names = "--cluster", required = true, split = ",", paramLabel = "HOST:PORT", description = "aggregators")
    private String[] aggregators;

    @Option(names = "--flights", required = true, paramLabel = "FILE.csv", description = "the schedule of 2013")
    private Path flights;

    @Option(names = "--tickets", required = true, paramLabel = "N", description = "how many were loaded")
    private long tickets;

    @Option(names = "--seed", required = true, paramLabel = "N", description = "of the tickets")
    private long seed;

    @Option(names = "--loaded-in", defaultValue = "0", paramLabel = "SECONDS", description = "for the report")
    private double loadSeconds;

    @Option(names = "--changes", defaultValue = "200", paramLabel = "N", description = "a second (${DEFAULT-VALUE})")
    private double changesPerSecond;

    @Option(names = "--concurrency", defaultValue = "2048", paramLabel = "N",
            description = "queries in flight under load (${DEFAULT-VALUE})")
    private int concurrency;

    @Option(names = "--seconds", defaultValue = "10", paramLabel = "N", description = "of load (${DEFAULT-VALUE})")
    private int seconds;

    @Option(names = "--storm-seconds", defaultValue = "5", paramLabel = "N",
            description = "of changes before the desk asks again (${DEFAULT-VALUE})")
    private int stormSeconds;

    @Option(names = "--cluster-pids", paramLabel = "FILE",
            description = "cluster.pids of a local cluster, whose work is not counted as that of others")
    private Path clusterPids;

    @Option(names = "--out", required = true, paramLabel = "DIR",
            description = "where report.txt, answers.jsonl and changes.tsv go")
    private Path directory;

    public static void main(String[] arguments) {
        ProcessEnd.onOutOfMemoryOf("daedalus-demo");
        System.exit(new CommandLine(new Demo()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        Files.createDirectories(directory);
        TicketParameters parameters = TicketParameters.defaults();
        Schedule schedule = Schedule.read(flights);
        TicketGenerator sold = new TicketGenerator(schedule, seed, parameters);
        ChangeSource source = new ChangeSource(sold, sold.bookingsOf(tickets), seed + 1, ChangeProportions.defaults(),
                STORM_TIME_PER_CHANGE);
        TicketQueries queries = TicketQueries.of("booking", new TicketGenerator(schedule, seed, parameters), tickets,
                seed + 2);
        try (OutputStream file = Files.newOutputStream(directory.resolve("report.txt"));
                PrintStream out = new PrintStream(new Tee(System.out, file), true, StandardCharsets.UTF_8);
                DaedalusClient client = DaedalusClient.builder().aggregators(aggregators).name("demo")
                        .inFlightMax(concurrency + CHANGES_IN_FLIGHT_MAX).build();
                ChangeFlow changes = new ChangeFlow(
                        change -> client.update(change.text(), change.parameterArray()), source::next,
                        new Arrivals(changesPerSecond, seed + 3), CHANGES_IN_FLIGHT_MAX, System::nanoTime,
                        directory.resolve("changes.tsv"));
                Desk desk = new Desk(client, changes, out, directory.resolve("answers.jsonl"))) {
            client.await(client.describe());
            OtherWork others = new OtherWork(Path.of("/proc"), ourProcesses());
            work(parameters, desk, changes, out);
            Report load = putLoadOn(client, changes, queries, out);
            report(desk, changes, load, others.noted(), out);
            return changes.failed() == 0 && load.total().failed() + load.total().expired() == 0 ? 0 : 1;
        }
    }

    private List<Long> ourProcesses() throws IOException {
        List<Long> processes = new ArrayList<>();
        processes.add(ProcessHandle.current().pid());
        if (clusterPids != null) {
            processes.addAll(OtherWork.processesOf(clusterPids));
        }
        return processes;
    }

    private void work(TicketParameters parameters, Desk desk, ChangeFlow changes, PrintStream out) throws IOException {
        Questions questions = new Questions(parameters.now().toLocalDate());
        out.printf("It is the morning of %s at New York's airports. A blizzard is coming.%n",
                parameters.now().toLocalDate());
        desk.ask(questions.whatIsThere());
        Row fullest = desk.ask(questions.fullestFlights()).get(0);
        Questions.Flight flight = new Questions.Flight(fullest.getString("provider"), fullest.getInt("product_id"));
        for (Question question : questions.beforeTheStorm(flight)) {
            desk.ask(question);
        }
        out.printf("%nThe storm: bookings, changes and cancellations come in at %.0f a second.%n", changesPerSecond);
        for (int second = 0; second < stormSeconds; second++) {
            pause(Duration.ofSeconds(1));
            out.printf("  %,7d changes, %,9d rows%n", changes.changes(), changes.rows());
        }
        for (Question question : questions.duringTheStorm(flight)) {
            desk.ask(question);
        }
    }

    private Report putLoadOn(DaedalusClient client, ChangeFlow changes, TicketQueries queries, PrintStream out) {
        out.printf("%n%,d random queries in flight for %d s, beside %.0f changes a second:%n", concurrency, seconds,
                changesPerSecond);
        changes.latencies();
        Report report = new ClosedLoop(client, queries, interval -> showLive(interval, out))
                .run(concurrency, Duration.ofSeconds(seconds));
        if (report.lastFailure() != null) {
            out.println("the last query without an answer: " + report.lastFailure().getMessage());
        }
        return report;
    }

    private void report(Desk desk, ChangeFlow changes, Report load, String others, PrintStream out) {
        changes.hold();
        new RunReport(tickets, loadSeconds, desk.asked(), desk.slowestMs(), concurrency, load, changesPerSecond,
                changes.changes(), changes.rows(), changes.failed(), changes.latencies(), others).print(out);
        if (changes.failed() > 0) {
            out.println("the last change that failed: " + changes.lastFailure());
        }
    }

    private static void showLive(Interval interval, PrintStream out) {
        out.printf("  %,9.0f queries/s  p50 %7.1f ms  p90 %7.1f ms  p99 %7.1f ms  slowest %7.1f ms%n",
                interval.answeredPerSecond(), interval.latencyMs(50), interval.latencyMs(90), interval.latencyMs(99),
                interval.latencyMaxMs());
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
