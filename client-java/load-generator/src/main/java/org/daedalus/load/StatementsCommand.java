package org.daedalus.load;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The queries of a mix as SQL with literals, for databases that are to be asked the same. */
@Command(name = "statements", mixinStandardHelpOptions = true,
        description = "Writes the queries that `queries` asks, one SQL statement with literals a line.")
final class StatementsCommand implements Callable<Integer> {
    @Mixin
    private TicketOptions loaded;

    @Option(names = "--count", required = true, paramLabel = "N", description = "how many")
    private int count;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "of the queries")
    private long seed;

    @Option(names = "--out", required = true, paramLabel = "FILE.sql", description = "where to")
    private Path out;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (count < 1) {
            throw new ParameterException(spec.commandLine(), "--count must be above 0");
        }
        TicketQueries queries = loaded.queries(loaded.schedule(), seed, count);
        try (BufferedWriter file = Files.newBufferedWriter(out)) {
            for (int written = 0; written < count; written++) {
                file.write(queries.get().toLiteralSql());
                file.newLine();
            }
        }
        return 0;
    }
}
