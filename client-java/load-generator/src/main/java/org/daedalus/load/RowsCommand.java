package org.daedalus.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.ResultSet;
import org.daedalus.client.Row;
import org.daedalus.output.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One query with many rows, over and over, every value of every row read: what rows cost the client. */
@Command(name = "rows", mixinStandardHelpOptions = true, description = {
    "Asks one query over and over, two at a time, and reads every value of every row that comes. The outcome goes to "
        + "standard output as JSON: rows, and the CPU time that this process took for them, sockets included."})
final class RowsCommand implements Callable<Integer> {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(60);

    @Option(names = "--cluster", required = true, split = ",", paramLabel = "HOST:PORT",
            description = "aggregators")
    private String[] aggregators;

    @Option(names = "--sql", required = true, paramLabel = "SELECT", description = "the query")
    private String sql;

    @Option(names = "--seconds", defaultValue = "5", paramLabel = "N", description = "measured (${DEFAULT-VALUE})")
    private int seconds;

    @Option(names = "--warm-up-seconds", defaultValue = "5", paramLabel = "N",
            description = "before, not measured (${DEFAULT-VALUE})")
    private int warmUpSeconds;

    @Spec
    private CommandSpec spec;

    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    /** A sum over everything read, so that reading it cannot be left out. */
    private long read;

    @Override
    public Integer call() {
        if (seconds < 1 || warmUpSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--seconds must be from 1, --warm-up-seconds from 0");
        }
        try (DaedalusClient client = DaedalusClient.builder().aggregators(aggregators).name("load-generator")
                .requestTimeout(ANSWER_MAX).repeatRefused(false).build()) {
            readFor(client, warmUpSeconds);
            long startNs = System.nanoTime();
            long startCpuNs = system.getProcessCpuTime();
            long rows = readFor(client, seconds);
            double cpuSeconds = (system.getProcessCpuTime() - startCpuNs) / 1e9;
            double wallSeconds = (System.nanoTime() - startNs) / 1e9;
            System.out.println(new Json().open('{').key("rows").number(rows)
                    .key("seconds").literal(Double.toString(wallSeconds))
                    .key("cpu_seconds").literal(Double.toString(cpuSeconds))
                    .key("rows_per_cpu_second").literal(Double.toString(rows / cpuSeconds))
                    .key("read").number(read).close('}'));
            return 0;
        }
    }

    private long readFor(DaedalusClient client, int forSeconds) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(forSeconds);
        long rows = 0;
        CompletableFuture<ResultSet> next = client.query(sql);
        while (System.nanoTime() < endNs) {
            CompletableFuture<ResultSet> asked = next;
            next = client.query(sql); // It comes while the one before is read.
            rows += readAll(client.await(asked));
        }
        client.await(next).close();
        return rows;
    }

    private long readAll(ResultSet answer) {
        long rows = 0;
        for (Row row : answer) {
            for (int column = 0; column < row.size(); column++) {
                Object value = row.getObject(column);
                read += value == null ? 0 : value.hashCode();
            }
            rows++;
        }
        return rows;
    }
}
