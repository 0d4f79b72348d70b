package org.daedalus.cli;

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

/** `daedalus load`: inserts a CSV file's rows, in batches, and goes on where an earlier run of it stopped. */
@Command(name = "load", mixinStandardHelpOptions = true, description = {
    "Loads a CSV file (RFC 4180, UTF-8) whose header names the columns; columns it does not name take their defaults.",
    "An empty field is NULL, \"\" is the empty string. Dates and times are ISO 8601.",
    "A bad line ends the load; all complete batches before it are in then, and nothing after them. With --reject-file "
        + "bad lines are set aside instead, and the rest goes on.",
    "Rows that full segments have no room for are refused: the load ends with exit code 1 then and error 53100, says "
        + "how many they are, and cannot be gone on with. The other rows of their batches are in.",
    "After an interruption the same command goes on where it stopped: no row is doubled, none is left out."})
final class LoadCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FILE.csv", description = "the file to load")
    private Path file;

    @Option(names = "--null", paramLabel = "TEXT", description = "an unquoted field with this text is NULL, too")
    private String nullText;

    @Option(names = "--batch-rows", paramLabel = "N", defaultValue = "1000",
            description = "rows of one update: they take effect together, under one timestamp, without those that are "
                    + "refused for want of room (default: ${DEFAULT-VALUE})")
    private int batchRows;

    @Option(names = "--reject-file", paramLabel = "FILE", description = "set bad lines aside there, with line, column "
            + "and reason, and go on; made when the first one comes. Mend the records in it and load it with --mended")
    private Path rejectPath;

    @Option(names = "--mended", description = "FILE.csv was written by --reject-file: load the records in it")
    private boolean isMended;

    @Option(names = "--from-line", paramLabel = "N", defaultValue = "1", description = "leave out the rows before it")
    private long fromLine;

    @Option(names = "--restart",
            description = "forget what earlier runs have loaded: their rows will be in twice, unless you remove them")
    private boolean isRestart;

    @Option(names = "--progress-dir", paramLabel = "DIR", description = "where to keep how far the load has come; "
            + "default: $${XDG_STATE_HOME:-~/.local/state}/daedalus/loads")
    private Path progressDirectory;

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
        Path directory = progressDirectory == null ? StateDirectory.ofUser().loads() : progressDirectory;
        try (DaedalusClient client = cluster.connect()) {
            TableDescription table = client.await(client.describe());
            int rowsMax = table.limits().updateRowsMax();
            if (rowsMax > 0 && batchRows > rowsMax) {
                throw CliException.usage("--batch-rows must be at most " + rowsMax + " for this cluster");
            }
            Path real = file.toRealPath();
            String clusterId = table.clusterId();
            try (LoadProgress progress = LoadProgress.open(directory, real, clusterId, isRestart)) {
                LoadStart start = new LoadStart(real, progress, options(), rejectPath == null
                        ? "" : rejectPath.toAbsolutePath().toString());
                load(client, table, clusterId, progress, start);
            } catch (CliException e) {
                throw new CliException(e.exitCode(), file + ": " + e.getMessage());
            }
        }
        return 0;
    }

    /** What the batches depend on besides the file. */
    private String options() {
        return "--batch-rows " + batchRows + (nullText == null ? "" : " --null '" + nullText + "'")
                + (isMended ? " --mended" : "") + (fromLine > 1 ? " --from-line " + fromLine : "");
    }

    private void load(DaedalusClient client, TableDescription table, String clusterId, LoadProgress progress,
            LoadStart start) throws CliException, IOException {
        long startNs = System.nanoTime();
        CsvHeader header;
        RecordSource.Place firstRow;
        try (InputStream bytes = Files.newInputStream(file)) {
            CsvReader reader = new CsvReader(bytes);
            RecordSource records = isMended ? MendedReader.ofStart(reader) : reader;
            header = CsvHeader.read(records, table);
            firstRow = records.nextPlace();
        }
        String knownRejects = progress.state() == null ? "" : progress.state().rejectFile;
        boolean isGoingOn = start.decide(client, table, clusterId);
        LoadState state = progress.state();
        if (!isGoingOn || state.settled.place().offset() < firstRow.offset()) {
            state.settled = new LoadState.Settled(firstRow, 0, 0, 0, 0);
        }
        long earlier = state.settled.rowsIn();
        String rejectName = rejectPath == null ? "" : rejectPath.toAbsolutePath().toString();
        state.rejectFileMade &= isGoingOn && rejectName.equals(knownRejects);
        try (RejectFile rejects = rejectPath == null ? null
                        : new RejectFile(rejectPath, header.raw(), state.settled.rejectSize(), state.rejectFileMade);
                InputStream bytes = Files.newInputStream(file);
                Progress shown = new Progress("loading " + file.getFileName(), Files.size(file), bytes)) {
            state.rejectFile = rejectName;
            state.phase = LoadState.Phase.UNDER_WAY;
            CsvLoader.Setup setup = new CsvLoader.Setup(header, nullText, batchRows, fromLine, rejects);
            CsvLoader.Summary summary =
                    new CsvLoader(client, table, setup, progress).load(start.open(shown, isMended));
            shown.finish();
            report(summary, earlier, System.nanoTime() - startNs);
        }
        state.phase = LoadState.Phase.REPORTED;
        progress.keep(state);
    }

    private void report(CsvLoader.Summary summary, long earlier, long elapsedNs) throws CliException {
        String rows = summary.rowsIn() + (summary.rowsIn() == 1 ? " row is in" : " rows are in");
        rows += earlier > 0 ? " (" + earlier + " of them by earlier runs)" : "";
        if (summary.rowsAside() > 0) {
            rows += ", " + summary.rowsAside() + (summary.rowsAside() == 1 ? " bad line was" : " bad lines were")
                    + " set aside in " + rejectPath;
        }
        if (summary.problem() != null) {
            throw CliException.failed(summary.problem() + "\n" + rows + (summary.rowsUnknown() > 0
                    ? ", " + summary.rowsUnknown() + " more may be: their batches were not answered" : "")
                    + (summary.isLost() ? refused(summary.rowsRefused()) : "\nThe same command goes on from here."));
        }
        double seconds = elapsedNs / 1e9;
        System.out.printf("%s (%.1f s, %.0f rows/s)%n", rows, seconds, (summary.rowsIn() - earlier) / seconds);
        System.out.flush();
    }

    private static String refused(long rows) {
        return "\n" + rows + (rows == 1 ? " row was" : " rows were") + " refused and cannot be loaded any more: start "
                + "the cluster afresh with larger segments and load the file into that. Loaded here once more, rows "
                + "that are in would be doubled.";
    }
}
