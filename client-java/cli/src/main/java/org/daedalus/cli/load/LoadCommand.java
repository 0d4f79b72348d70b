package org.daedalus.cli.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.daedalus.cli.CliException;
import org.daedalus.cli.ClusterOption;
import org.daedalus.cli.StateDirectory;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.TableDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** `daedalus load`: inserts the rows of CSV files, in batches, and goes on where an earlier run of it stopped. */
@Command(name = "load", mixinStandardHelpOptions = true, description = {
    "Loads a CSV file (RFC 4180, UTF-8 unless --encoding says otherwise) whose header names the columns; columns it "
        + "does not name take their defaults.",
    "An empty field is NULL, \"\" is the empty string. Dates and times are ISO 8601 unless --date-format says "
        + "otherwise. A comma at the end of every line, and blank lines at the end, count for nothing.",
    "Files compressed by gzip are decompressed. Of a directory all files *.csv, *.tsv, *.txt and those with .gz are "
        + "loaded, in the order of their names.",
    "A bad line ends the load; all complete batches before it are in then, and nothing after them. With --reject-file "
        + "bad lines are set aside instead, and the rest goes on.",
    "Rows that full segments have no room for are refused: the load ends with exit code 1 then and error 53100, says "
        + "how many they are, and cannot be gone on with. The other rows of their batches are in.",
    "After an interruption the same command goes on where it stopped: no row is doubled, none is left out. Standard "
        + "input and pipes cannot be read again: nothing goes on there, and the load says which lines are in."})
public final class LoadCommand implements Callable<Integer> {
    private static final List<String> ENDINGS = List.of(".csv", ".tsv", ".txt");

    @Parameters(arity = "1..*", paramLabel = "FILE.csv|DIR|-",
            description = "the file to load, several of them, a directory of files, or - for standard input")
    private List<String> all;

    private String what;

    @Option(names = "--null", paramLabel = "TEXT", description = "an unquoted field with this text is NULL, too")
    private String nullText;

    @Mixin
    private CsvFormatOptions formatOptions;

    @Option(names = "--columns", split = ",", paramLabel = "NAME|-", description = "the columns of the fields, in "
            + "place of those that the header names; - leaves a field out")
    private List<String> columns;

    @Option(names = "--no-header", description = "the first line is a row: its fields are --columns, or the table's "
            + "columns in their order")
    private boolean hasNoHeader;

    @Option(names = "--skip", paramLabel = "N", defaultValue = "0", description = "lines before the header that mean "
            + "nothing (default: ${DEFAULT-VALUE})")
    private int skip;

    @Option(names = "--ignore-extra", description = "leave out columns that the table has not")
    private boolean ignoresExtra;

    @Option(names = "--batch-rows", paramLabel = "N", defaultValue = "1000",
            description = "rows of one update: they take effect together, under one timestamp, without those that are "
                    + "refused for want of room (default: ${DEFAULT-VALUE})")
    private int batchRows;

    @Option(names = "--reject-file", paramLabel = "FILE", description = "set bad lines aside there, with line, column "
            + "and reason, and go on; made when the first one comes. Mend the records in it and load it with --mended. "
            + "For a directory of files this is a directory, too: each file's bad lines go to one of its name")
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
        if (batchRows < 1) {
            throw CliException.usage("--batch-rows must be at least 1, not " + batchRows);
        }
        CsvFormat format = formatOptions.format();
        Path directory = progressDirectory == null ? StateDirectory.ofUser().loads() : progressDirectory;
        FileLoad.Options options = new FileLoad.Options(
                nullText, format, batchRows, isMended, fromLine, isRestart, rejectPath, directory, told(format),
                false);
        what = String.join(" ", all);
        if (all.size() > 1) {
            checkOptionsOfDirectory();
            List<LoadSource> files = new ArrayList<>();
            for (String each : all) {
                files.add(LoadSource.of(LoadSource.path(each)));
            }
            runAll(files, options);
            return 0;
        }
        if (what.equals("-")) {
            run(List.of(LoadSource.standardInput()), options);
            return 0;
        }
        Path path = LoadSource.path(what);
        if (!Files.isDirectory(path)) {
            run(List.of(LoadSource.of(path)), options);
            return 0;
        }
        checkOptionsOfDirectory();
        List<LoadSource> files = filesIn(path);
        runAll(files, options);
        return 0;
    }

    private CsvHeader.Told told(CsvFormat format) throws CliException {
        if (skip < 0) {
            throw CliException.usage("--skip must be at least 0, not " + skip);
        }
        if (isMended && (hasNoHeader || skip > 0)) {
            throw CliException.usage("--no-header and --skip are not for --mended: its file has a header of its own");
        }
        return new CsvHeader.Told(columns, !hasNoHeader, skip, ignoresExtra, format);
    }

    private void checkOptionsOfDirectory() throws CliException {
        if (isMended || fromLine > 1) {
            throw CliException.usage((isMended ? "--mended" : "--from-line")
                    + " is about one file: load the files of " + what + " one by one");
        }
        if (rejectPath != null && Files.exists(rejectPath) && !Files.isDirectory(rejectPath)) {
            throw CliException.usage("--reject-file must name a directory where several files are loaded; "
                    + rejectPath + " is none");
        }
    }

    /** Files that look like CSV, by name. */
    private static List<LoadSource> filesIn(Path directory) throws CliException {
        List<Path> entries;
        try (Stream<Path> listed = Files.list(directory)) {
            entries = listed.filter(file -> !Files.isDirectory(file))
                    .sorted(Comparator.comparing(file -> file.getFileName().toString())).toList();
        } catch (IOException e) {
            throw CliException.usage("cannot read " + directory + ": " + LoadSource.reason(e));
        }
        List<LoadSource> files = new ArrayList<>();
        int others = 0;
        for (Path file : entries) {
            if (isTable(file.getFileName().toString())) {
                files.add(LoadSource.of(file));
            } else {
                others++;
            }
        }
        if (files.isEmpty()) {
            throw CliException.usage(directory + " has no file *.csv, *.tsv or *.txt, nor one of these with .gz");
        }
        if (others > 0) {
            System.err.println(directory + ": " + others + (others == 1 ? " other file is" : " other files are")
                    + " left out");
        }
        return files;
    }

    private static boolean isTable(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        String plain = lower.endsWith(".gz") ? lower.substring(0, lower.length() - 3) : lower;
        return !lower.startsWith(".") && ENDINGS.stream().anyMatch(plain::endsWith);
    }

    private void run(List<LoadSource> sources, FileLoad.Options options) throws CliException, IOException {
        try (DaedalusClient client = cluster.connect()) {
            TableDescription table = describe(client);
            for (LoadSource source : sources) {
                new FileLoad(client, table, source, options).run();
            }
        }
    }

    private TableDescription describe(DaedalusClient client) throws CliException {
        TableDescription table = client.await(client.describe());
        int rowsMax = table.limits().updateRowsMax();
        if (rowsMax > 0 && batchRows > rowsMax) {
            throw CliException.usage("--batch-rows must be at most " + rowsMax + " for this cluster");
        }
        return table;
    }

    /** Loads one after the other; those that earlier runs have loaded are passed over. */
    private void runAll(List<LoadSource> sources, FileLoad.Options options) throws CliException, IOException {
        long rowsIn = 0;
        long rowsAside = 0;
        int already = 0;
        try (DaedalusClient client = cluster.connect()) {
            TableDescription table = describe(client);
            for (LoadSource source : sources) {
                try {
                    FileLoad.Result loaded = new FileLoad(client, table, source, options.forFile(source)).run();
                    rowsIn += loaded.rowsIn();
                    rowsAside += loaded.rowsAside();
                } catch (LoadStart.AlreadyLoaded e) {
                    rowsIn += e.rowsIn();
                    already++;
                }
            }
        }
        String files = sources.size() + (sources.size() == 1 ? " file" : " files");
        if (already == sources.size()) {
            throw CliException.failed(what + ": all " + rowsIn + " rows of its " + files
                    + " are in since earlier runs; --restart loads them once more");
        }
        if (rowsIn == 0 && rowsAside > 0) {
            throw CliException.failed("no row is in: every line of " + files + " was set aside in " + rejectPath
                    + ", with its reason");
        }
        System.out.println(rowsIn + " rows of " + files + " are in"
                + (already == 0 ? "" : " (" + already + (already == 1 ? " file" : " files") + " by earlier runs)"));
        System.out.flush();
    }
}
