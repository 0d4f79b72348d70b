package org.daedalus.cli.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.daedalus.cli.CliException;
import org.daedalus.cli.Interruption;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.TableDescription;

/** The load of one file, or of one stream: finds where to start, loads, and says what came of it. */
final class FileLoad {
    /**
     * Has the options of the command line.
     *
     * @param nullText may be null
     * @param rejectPath null: a bad line ends the load
     * @param progressDirectory where it is kept how far a file has been loaded
     * @param told of its header
     * @param isOneOfMany the file has to be named where it is spoken of
     */
    record Options(String nullText, CsvFormat format, int batchRows, boolean isMended, long fromLine, boolean isRestart,
            Path rejectPath, Path progressDirectory, CsvHeader.Told told, boolean isOneOfMany) {
        /** Returns the options for one of a directory's files: its bad lines have a file of their own. */
        Options forFile(LoadSource source) throws IOException {
            String name = source.realPath().getFileName().toString();
            String plain = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
            return new Options(nullText, format, batchRows, isMended, fromLine, isRestart,
                    rejectPath == null ? null : rejectPath.resolve(plain), progressDirectory, told, true);
        }

        /** Returns the options that the batches depend on besides the file. */
        private String ofBatches() {
            return "--batch-rows " + batchRows + (nullText == null ? "" : " --null '" + nullText + "'")
                    + format.asOptions()
                    + (isMended ? " --mended" : "") + (fromLine > 1 ? " --from-line " + fromLine : "")
                    + told.asOptions();
        }

        private String rejectName() {
            return rejectPath == null ? "" : rejectPath.toAbsolutePath().toString();
        }
    }

    private final DaedalusClient client;
    private final TableDescription table;
    private final LoadSource source;
    private final Options options;
    /** This is null where nobody knows how much there is. */
    private Progress.Bar shown;

    FileLoad(DaedalusClient client, TableDescription table, LoadSource source, Options options) {
        this.client = client;
        this.table = table;
        // Bad lines were set aside in UTF-8, whatever the file they come from is written in.
        this.source = options.isMended() ? source : source.encodedIn(options.format().encoding());
        this.options = options;
    }

    /**
     * The result of loading a file, by earlier runs, too.
     *
     * @param rowsAside lines that were set aside
     */
    record Result(long rowsIn, long rowsAside) {}

    /** Loads it. */
    Result run() throws CliException, IOException {
        String cluster = table.clusterId();
        try (LoadProgress progress = source.isRepeatable()
                ? LoadProgress.open(options.progressDirectory(), source.realPath(), cluster, options.isRestart())
                : LoadProgress.ofThisProcess()) {
            return load(cluster, progress);
        } catch (LoadStart.AlreadyLoaded e) {
            throw e.of(source.label());
        } catch (CliException e) {
            throw new CliException(e.exitCode(), source.label() + ": " + e.getMessage());
        }
    }

    private Result load(String cluster, LoadProgress progress) throws CliException, IOException {
        long startNs = System.nanoTime();
        shown = source.isRepeatable() ? new Progress.Bar("loading " + source.label(), source.size()) : null;
        LoadStart start = new LoadStart(source, progress, options.ofBatches(), options.rejectName());
        try (InputStream bytes = open()) {
            CsvReader reader = new CsvReader(bytes, options.isMended() ? MendedReader.FORMAT : options.format());
            RecordSource records =
                    options.isMended() ? MendedReader.ofStart(reader, options.format().delimiter()) : reader;
            CsvHeader header = readHeader(records);
            RecordSource.Place firstRow = records.nextPlace();
            String knownRejects = progress.state() == null ? "" : progress.state().rejectFile;
            boolean isGoingOn = false;
            if (source.isRepeatable()) {
                isGoingOn = start.decide(client, table, cluster);
            } else {
                start.keepFresh(cluster);
            }
            LoadState state = progress.state();
            state.rejectFileMade &= isGoingOn && options.rejectName().equals(knownRejects);
            if (!isGoingOn || state.settled.place().offset() < firstRow.offset()) {
                state.settled = new LoadState.Settled(firstRow, 0, 0, 0, 0);
            }
            if (!isGoingOn) {
                return load(header, records, progress, startNs);
            }
            try (InputStream again = open()) {
                return load(header, start.open(again, options.isMended(), options.format()), progress, startNs);
            }
        } finally {
            finishShown();
        }
    }

    private void finishShown() {
        if (shown != null) {
            shown.finish();
        }
    }

    private InputStream open() throws CliException {
        try {
            return source.open(shown);
        } catch (IOException e) {
            throw CliException.failed("cannot be read: " + LoadSource.reason(e));
        }
    }

    private CsvHeader readHeader(RecordSource records) throws CliException {
        try {
            return CsvHeader.read(records, table, options.told());
        } catch (IOException e) {
            throw CliException.failed("cannot be read: " + LoadSource.reason(e));
        }
    }

    private Result load(CsvHeader header, RecordSource records, LoadProgress progress, long startNs)
            throws CliException, IOException {
        LoadState state = progress.state();
        long earlier = state.settled.rowsIn();
        CsvLoader.Summary summary;
        try (RejectFile rejects = options.rejectPath() == null ? null : new RejectFile(
                options.rejectPath(), header.raw(), state.settled.rejectSize(), state.rejectFileMade)) {
            state.rejectFile = options.rejectName();
            state.phase = LoadState.Phase.UNDER_WAY;
            CsvLoader.Setup setup = new CsvLoader.Setup(
                    header, options.format(), options.nullText(), options.batchRows(), options.fromLine(), rejects);
            CsvLoader loader = new CsvLoader(client, table, setup, progress);
            Interruption interruption = new Interruption(() -> System.err.println(interruption(loader.settled())));
            try {
                summary = loader.load(records);
            } finally {
                interruption.forget();
            }
        }
        finishShown();
        report(summary, earlier, state.settled, System.nanoTime() - startNs);
        state.phase = LoadState.Phase.REPORTED;
        progress.keep(state);
        if (!options.isOneOfMany() && summary.rowsIn() == 0 && summary.rowsAside() > 0) {
            throw CliException.failed("no row is in: every line was set aside, the first for the reason in line 3 of "
                    + options.rejectPath());
        }
        return new Result(summary.rowsIn(), summary.rowsAside());
    }

    /** Says how far the load came when the process is ended from outside. */
    private String interruption(LoadState.Settled settled) {
        return "\n" + source.label() + ": interrupted; " + rows(settled.rowsIn()) + " in, those before line "
                + settled.place().line() + ", and batches after them may be. "
                + (source.isRepeatable()
                        ? "The same command goes on from here: no row is doubled, none is left out."
                        : "This load cannot be gone on with: find out what is in from that line on.");
    }

    private static String rows(long count) {
        return count + (count == 1 ? " row is" : " rows are");
    }

    private void report(CsvLoader.Summary summary, long earlier, LoadState.Settled settled, long elapsedNs)
            throws CliException {
        String rows = rows(summary.rowsIn()) + " in";
        rows += earlier > 0 ? " (" + earlier + " of them by earlier runs)" : "";
        if (summary.rowsAside() > 0) {
            rows += ", " + summary.rowsAside() + (summary.rowsAside() == 1 ? " bad line was" : " bad lines were")
                    + " set aside in " + options.rejectPath();
        }
        if (summary.problem() != null) {
            throw CliException.failed(summary.problem() + "\n" + rows + (summary.rowsUnknown() > 0
                    ? ", " + summary.rowsUnknown() + " more may be: their batches were not answered" : "")
                    + (summary.isLost() ? refused(summary.rowsRefused()) : howToGoOn(summary, settled)));
        }
        double seconds = elapsedNs / 1e9;
        String file = options.isOneOfMany() ? source.label() + ": " : "";
        System.out.printf("%s%s (%.1f s, %.0f rows/s)%n", file, rows, seconds, (summary.rowsIn() - earlier) / seconds);
        System.out.flush();
    }

    private String howToGoOn(CsvLoader.Summary summary, LoadState.Settled settled) {
        if (source.isRepeatable()) {
            return "\nThe same command goes on from here.";
        }
        return "\nWhat came in cannot be read again. Everything before line " + settled.place().line() + " is in; "
                + (summary.rowsUnknown() == 0
                        ? "the same input with --from-line " + settled.place().line() + " brings the rest."
                        : "find out what is in from there on, then go on with --from-line N.");
    }

    private static String refused(long rows) {
        return "\n" + rows + (rows == 1 ? " row was" : " rows were") + " refused and cannot be loaded any more: start "
                + "the cluster afresh with larger segments and load the file into that. Loaded here once more, rows "
                + "that are in would be doubled.";
    }
}
