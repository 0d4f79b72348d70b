package org.daedalus.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.daedalus.output.ProgressBar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Writes tickets as CSV. */
@Command(name = "tickets", mixinStandardHelpOptions = true,
        description = "Writes tickets as CSV that `daedalus load` takes into schemas/tickets.sql.")
final class TicketsCommand implements Callable<Integer> {
    private static final long TICKETS_AT_ONCE = 10_000;

    @Mixin
    private WorldOptions world;

    @Option(names = "--tickets", required = true, paramLabel = "N", description = "how many tickets")
    private long tickets;

    @Option(names = "--out", required = true, paramLabel = "FILE.csv", description = "where to")
    private Path out;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (tickets < 0) {
            throw new ParameterException(spec.commandLine(), "--tickets is " + tickets + ": give a number from 0");
        }
        long startedNs = System.nanoTime();
        TicketGenerator generator = world.generator();
        try (CsvRows rows = new CsvRows(Files.newOutputStream(out))) {
            ProgressBar bar = new ProgressBar("selling " + tickets + " tickets", tickets, "tickets");
            for (long sold = 0; sold < tickets; sold += TICKETS_AT_ONCE) {
                long count = Math.min(TICKETS_AT_ONCE, tickets - sold);
                generator.write(count, rows);
                bar.advance(count);
            }
            bar.finish();
        }
        System.out.printf("%s: %d tickets of %d bookings, %d bytes in %.1f s%n", out, tickets, generator.bookingCount(),
                Files.size(out), (System.nanoTime() - startedNs) / 1e9);
        return 0;
    }
}
