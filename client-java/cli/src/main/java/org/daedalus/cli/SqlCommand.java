package org.daedalus.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.Outcome;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultSet;
import org.daedalus.client.WriteOutcome;
import org.daedalus.output.StatementOutput;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** `daedalus sql`: sends statements one after the other and prints what each ends in. */
@Command(name = "sql", mixinStandardHelpOptions = true, description = {
    "Sends SQL statements, reading or writing, one after the other.",
    "-c stops at the first error; -f answers each statement as soon as it has been read and goes on after an error.",
    "An update that refused rows is an error, too (22003 overflow, 53100 no room), although its other rows have been "
        + "changed: both counts are printed, and it must not be repeated."})
final class SqlCommand implements Callable<Integer> {
    /** Where statements come from. */
    static final class Source {
        @Option(names = "-c", paramLabel = "SQL", required = true, description = "one or several statements")
        private String text;

        @Option(names = "-f", paramLabel = "FILE", required = true,
                description = "a file of statements; - is standard input")
        private String file;
    }

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Source source;

    @Option(names = "--format", paramLabel = "table|csv|json", defaultValue = "table",
            description = "default: ${DEFAULT-VALUE}; json is one object per statement")
    private String format;

    @Mixin
    private ClusterOption cluster;

    private StatementOutput output;

    @Override
    public Integer call() throws CliException, IOException {
        output = parseFormat(format).open(System.out, System.err);
        try (DaedalusClient client = cluster.connect()) {
            boolean fine = source.text != null ? runText(client, source.text) : runFile(client);
            return fine ? 0 : CliException.FAILED;
        }
    }

    static StatementOutput.Format parseFormat(String name) throws CliException {
        try {
            return StatementOutput.Format.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--format must be table, csv or json, not '" + name + "'");
        }
    }

    private boolean runText(DaedalusClient client, String text) throws CliException {
        StatementSplitter splitter = new StatementSplitter();
        List<String> statements = new ArrayList<>(splitter.feed(text));
        statements.addAll(splitter.finish());
        if (statements.isEmpty()) {
            throw CliException.usage("-c has no statement");
        }
        for (String sql : statements) {
            if (!run(client, sql)) {
                return false;
            }
        }
        return true;
    }

    private boolean runFile(DaedalusClient client) throws CliException, IOException {
        if (source.file.equals("-")) {
            return runStream(client, System.in);
        }
        Path path = Path.of(source.file);
        if (!Files.isReadable(path)) {
            throw CliException.usage("cannot read " + path);
        }
        try (InputStream in = Files.newInputStream(path)) {
            return runStream(client, in);
        }
    }

    private boolean runStream(DaedalusClient client, InputStream in) throws CliException, IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        StatementSplitter splitter = new StatementSplitter();
        boolean fine = true;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            for (String sql : splitter.feed(line + "\n")) {
                fine &= run(client, sql);
            }
        }
        for (String sql : splitter.finish()) {
            fine &= run(client, sql);
        }
        return fine;
    }

    private boolean run(DaedalusClient client, String sql) {
        long startNs = System.nanoTime();
        try {
            Outcome outcome = client.statement(sql).execute();
            if (outcome instanceof ResultSet rows) {
                try (rows) {
                    output.rows(rows, startNs);
                }
            } else {
                output.written((WriteOutcome) outcome, startNs);
            }
            return true;
        } catch (RefusedRowsException e) {
            output.writtenInPart(e, sql, startNs);
            return false;
        } catch (DaedalusException e) {
            output.failed(e, sql);
            return false;
        }
    }
}
