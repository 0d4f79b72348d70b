package org.daedalus.peer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.daedalus.channel.ProcessEnd;
import org.daedalus.load.TicketOptions;
import org.daedalus.output.Json;
import org.daedalus.workload.ChangeProportions;
import org.daedalus.workload.ChangeSource;
import org.daedalus.workload.CommandVersion;
import org.daedalus.workload.Schedule;
import org.daedalus.workload.SqlStatement;
import org.daedalus.workload.TicketGenerator;
import picocli.CommandLine.Mixin;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** `daedalus-peer-driver`: asks another database, through JDBC and a pool, what the load generator asks a cluster. */
@Command(name = "daedalus-peer-driver", mixinStandardHelpOptions = true, versionProvider = CommandVersion.class,
        description = {
    "Asks PostgreSQL the queries of a mix through pgjdbc and HikariCP, each connection one after the other, and beside "
        + "them updates of bookings at a rate; counts what ends while it measures. The outcome goes to standard output "
        + "as JSON."})
public final class PeerDriver implements Callable<Integer> {
    private static final int PREPARED_STATEMENTS = 4_096;
    private static final int PREPARED_MIB = 256;
    private static final int DIFFERENT = 20_000;

    @Option(names = "--url", required = true, paramLabel = "jdbc:postgresql://…", description = "the database")
    private String url;

    @Option(names = "--user", required = true, paramLabel = "NAME", description = "its user")
    private String user;

    @Option(names = "--connections", defaultValue = "8", paramLabel = "N",
            description = "connections and threads that ask; 0: none (${DEFAULT-VALUE})")
    private int connections;

    @Option(names = "--update-connections", defaultValue = "0", paramLabel = "N",
            description = "those that update beside them (${DEFAULT-VALUE})")
    private int updateConnections;

    @Option(names = "--update-rate", defaultValue = "0", paramLabel = "N",
            description = "updates a second, of all of these together (as fast as they are confirmed)")
    private double updateRate;

    @Mixin
    private TicketOptions loaded;

    @Option(names = "--seconds", defaultValue = "5", paramLabel = "N", description = "measured (${DEFAULT-VALUE})")
    private int seconds;

    @Option(names = "--warm-up-seconds", defaultValue = "5", paramLabel = "N",
            description = "before, not measured (${DEFAULT-VALUE})")
    private int warmUpSeconds;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "of queries and updates")
    private long seed;

    private PeerDriver() {}

    public static void main(String[] arguments) {
        ProcessEnd.onOutOfMemoryOf("daedalus-peer-driver");
        System.exit(new CommandLine(new PeerDriver()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Schedule schedule = loaded.schedule();
        Supplier<SqlStatement> queries = loaded.queries(schedule, seed, DIFFERENT);
        List<Supplier<SqlStatement>> updates = new ArrayList<>();
        for (int thread = 0; thread < updateConnections; thread++) {
            updates.add(updates(schedule, seed + thread));
        }
        try (HikariDataSource pool = new HikariDataSource(configuration())) {
            long beginNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(warmUpSeconds);
            long endNs = beginNs + TimeUnit.SECONDS.toNanos(seconds);
            Window asked = new Window(beginNs, endNs);
            Window changed = new Window(beginNs, endNs);
            List<Thread> threads = new ArrayList<>();
            for (int thread = 0; thread < connections; thread++) {
                threads.add(new Thread(new PeerLoop(pool, queries, asked, 0), "query-" + thread));
            }
            long gapNs = updateRate > 0 ? (long) (updateConnections * 1e9 / updateRate) : 0;
            for (Supplier<SqlStatement> source : updates) {
                threads.add(new Thread(new PeerLoop(pool, source, changed, gapNs), "update-" + threads.size()));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            Json json = members(new Json().open('{'), asked);
            System.out.println(members(json.key("updates").open('{'), changed).close('}').close('}'));
            return 0;
        }
    }

    private HikariConfig configuration() {
        HikariConfig configuration = new HikariConfig();
        configuration.setJdbcUrl(url);
        configuration.setUsername(user);
        configuration.setMaximumPoolSize(Math.max(1, connections + updateConnections));
        configuration.addDataSourceProperty("prepareThreshold", 1);
        configuration.addDataSourceProperty("preparedStatementCacheQueries", PREPARED_STATEMENTS);
        configuration.addDataSourceProperty("preparedStatementCacheSizeMiB", PREPARED_MIB);
        // Strings take the type of their place, as quoted literals do: char(n) is compared as char(n).
        configuration.addDataSourceProperty("stringtype", "unspecified");
        return configuration;
    }

    private Supplier<SqlStatement> updates(Schedule schedule, long ownSeed) {
        TicketGenerator sold = loaded.sold(schedule);
        Duration pace = Duration.ofMillis(1);
        ChangeSource source = new ChangeSource(sold, sold.bookingsOf(loaded.tickets()), ownSeed,
                ChangeProportions.ofBookings(), pace);
        return () -> source.next().statement();
    }

    private static Json members(Json json, Window window) {
        json.key("answered").number(window.answered()).key("answered_per_second")
                .literal(Double.toString(window.perSecond())).key("rows").number(window.rows())
                .key("errors").number(window.errors());
        return window.lastError() == null ? json : json.key("last_error").string(window.lastError());
    }
}
