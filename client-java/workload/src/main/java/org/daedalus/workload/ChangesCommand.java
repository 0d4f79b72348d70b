package org.daedalus.workload;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Writes changes as SQL. */
@Command(name = "changes", mixinStandardHelpOptions = true,
        description = "Writes changes of what `tickets` wrote with the same options, one SQL statement a line.")
final class ChangesCommand implements Callable<Integer> {
    @Mixin
    private WorldOptions world;

    @Option(names = "--tickets", defaultValue = "1000000", paramLabel = "N",
            description = "how many tickets there are (default: ${DEFAULT-VALUE})")
    private long tickets;

    @Option(names = "--count", required = true, paramLabel = "N", description = "how many changes")
    private long count;

    @Option(names = "--pace", defaultValue = "1000", paramLabel = "MS",
            description = "milliseconds of the schedule's clock between changes (default: ${DEFAULT-VALUE})")
    private long paceMs;

    @Option(names = "--out", required = true, paramLabel = "FILE.sql", description = "where to")
    private Path out;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (tickets < 1) {
            throw new ParameterException(spec.commandLine(), "--tickets is " + tickets + ": give a number from 1");
        }
        if (count < 0) {
            throw new ParameterException(spec.commandLine(), "--count is " + count + ": give a number from 0");
        }
        TicketGenerator generator = world.generator();
        ChangeSource changes = new ChangeSource(generator, generator.bookingsOf(tickets), world.seed(),
                ChangeProportions.defaults(), Duration.ofMillis(paceMs));
        try (BufferedWriter lines = Files.newBufferedWriter(out)) {
            for (long i = 0; i < count; i++) {
                lines.write(changes.next().statement().toLiteralSql());
                lines.write(";\n");
            }
        }
        System.out.printf("%s: %d changes of %d tickets%n", out, count, tickets);
        return 0;
    }
}
