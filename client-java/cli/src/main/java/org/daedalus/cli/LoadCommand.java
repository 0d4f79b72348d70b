package org.daedalus.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.TableDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** `daedalus load`: inserts a CSV file's rows, in batches. */
@Command(name = "load", mixinStandardHelpOptions = true, description = {
    "Loads a CSV file (RFC 4180, UTF-8) whose header names the columns; columns it does not name take their defaults.",
    "An empty field is NULL, \"\" is the empty string. Dates and times are ISO 8601.",
    "A bad line ends the load; all complete batches before it are in then, and nothing after them."})
final class LoadCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FILE.csv", description = "the file to load")
    private Path file;

    @Option(names = "--null", paramLabel = "TEXT", description = "an unquoted field with this text is NULL, too")
    private String nullText;

    @Option(names = "--batch-rows", paramLabel = "N", defaultValue = "1000",
            description = "rows of one update, which takes effect as a whole (default: ${DEFAULT-VALUE})")
    private int batchRows;

    @Mixin
    private ClusterOption cluster;

    @Override
    public Integer call() throws CliException, IOException {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw CliException.usage("cannot read " + file);
        }
        if (batchRows < 1) {
            throw CliException.usage("--batch-rows must be at least 1, not " + batchRows);
        }
        long startNs = System.nanoTime();
        try (DaedalusClient client = cluster.connect();
                InputStream bytes = Files.newInputStream(file);
                Progress progress = new Progress("loading " + file.getFileName(), Files.size(file), bytes)) {
            TableDescription table = client.await(client.describe());
            int rowsMax = table.reply().getLimits().getUpdateRowsMax();
            if (rowsMax > 0 && batchRows > rowsMax) {
                throw CliException.usage("--batch-rows must be at most " + rowsMax + " for this cluster");
            }
            CsvLoader loader = new CsvLoader(client, table, nullText, batchRows);
            CsvLoader.Summary summary = loader.load(new CsvReader(new BufferedInputStream(progress)));
            progress.finish();
            String problem = summary.problem();
            String rows = summary.rowsIn() + (summary.rowsIn() == 1 ? " row is in" : " rows are in");
            if (problem != null) {
                throw CliException.failed(file + ": " + problem + "\n" + rows
                        + (summary.rowsUnknown() > 0
                                ? ", " + summary.rowsUnknown() + " more may be: their batches were not answered" : ""));
            }
            System.out.printf("%s (%.1f s)%n", rows, (System.nanoTime() - startNs) / 1e9);
            return 0;
        }
    }
}
