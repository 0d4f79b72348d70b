package org.daedalus.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.daedalus.workload.Schedule;
import org.daedalus.workload.TicketGenerator;
import org.daedalus.workload.TicketParameters;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Says which tickets were loaded, and what is asked about them: the same options for everything that asks. */
public final class TicketOptions {
    /** `./make.sh run` puts the schedule here, in the tree that this program is of. */
    private static final String FLIGHTS = "build/demo/flights.csv";

    @Option(names = "--flights", paramLabel = "FILE.csv",
            description = "the schedule the tickets were sold on (" + FLIGHTS + " of the tree that this program is of)")
    private Path flights;

    @Option(names = "--tickets-seed", required = true, paramLabel = "N", description = "their seed")
    private long ticketsSeed;

    @Option(names = "--mix", defaultValue = "booking", paramLabel = "MIX",
            description = "booking, or any:S for attributes drawn by Zipf(S) (${DEFAULT-VALUE})")
    private String mix;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private long tickets;

    @Option(names = "--tickets", required = true, paramLabel = "N", description = "tickets that were loaded")
    void setTickets(long count) {
        if (count < 1) {
            throw new ParameterException(command.commandLine(), "--tickets must be above 0");
        }
        tickets = count;
    }

    /** Returns how many were loaded. */
    public long tickets() {
        return tickets;
    }

    /** Reads the schedule that the tickets were sold on; throws when the file cannot be read. */
    public Schedule schedule() throws IOException {
        Path file = flights != null ? flights : Path.of(System.getProperty("daedalus.home", "."), FLIGHTS);
        if (!Files.isReadable(file)) {
            throw new ParameterException(command.commandLine(), "cannot read the schedule " + file.toAbsolutePath()
                    + ": name it with --flights, or make it with `./make.sh run` or schemas/flights_csv.py");
        }
        return Schedule.read(file);
    }

    /** Returns the generator that sold them, at the start of the sale. */
    public TicketGenerator sold(Schedule schedule) {
        return new TicketGenerator(schedule, ticketsSeed, TicketParameters.defaults());
    }

    /**
     * Returns the queries of the mix, of which the first comes again after {@code different} ones; throws
     * ParameterException when there is no such mix.
     */
    public TicketQueries queries(Schedule schedule, long seed, int different) {
        try {
            return TicketQueries.of(mix, sold(schedule), tickets, seed, different);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--mix " + mix + ": " + e.getMessage());
        }
    }
}
