package org.daedalus.cli.sql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.daedalus.cli.CliException;
import org.daedalus.cli.ClusterOption;
import org.daedalus.cli.StateDirectory;
import org.daedalus.client.DaedalusClient;
import org.daedalus.output.Origin;
import org.daedalus.output.StatementOutput.Format;
import org.daedalus.output.Style.Expanded;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** `daedalus sql`: sends statements one after the other and prints what each ends in. */
@Command(name = "sql", mixinStandardHelpOptions = true, description = {
    "A shell for SQL on a terminal; with -c or -f, or input from elsewhere, sends what stands there.",
    "-c stops at the first error; -f, and input, go on after an error. All answers come in order. INSERTs that follow "
        + "each other are in flight together, everything else runs one after the other.",
    "DESCRIBE shows the table's columns; a line that begins with a backslash is a command: \\? shows them all.",
    "An update that refused rows is an error, too (22003 overflow, 53100 no room), although its other rows have been "
        + "changed: both counts are printed, and it must not be repeated."})
public final class SqlCommand implements Callable<Integer> {
    /** Statements come from one of these. */
    static final class Source {
        @Option(names = {"-c", "--command"}, paramLabel = "SQL", required = true,
                description = "one or several statements, or one backslash command; may be repeated")
        private String text;

        @Option(names = {"-f", "--file"}, paramLabel = "FILE", required = true,
                description = "a file of statements; - is standard input; may be repeated")
        private String file;
    }

    @ArgGroup(exclusive = true, multiplicity = "0..*")
    private List<Source> sources = new ArrayList<>();

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "table",
            description = "table (default), unaligned, csv, tsv, markdown, json (one object per statement) or jsonl "
                + "(one object per row)")
    private String format;

    @Option(names = {"-t", "--tuples-only"}, description = "rows alone: no head, no line with counts")
    private boolean tuplesOnly;

    @Option(names = {"-A", "--no-align"}, description = "values with | between them: --format unaligned")
    private boolean unaligned;

    @Option(names = {"-x", "--expanded"},
            description = "one column a line; without it, where rows are wider than the terminal")
    private boolean expanded;

    @Option(names = "--null", paramLabel = "TEXT",
            description = "what stands for NULL (default: NULL in tables and Markdown, nothing in csv and unaligned, "
                + "\\N in tsv)")
    private String nullText;

    @Mixin
    private ClusterOption cluster;

    @Override
    public Integer call() throws CliException, IOException {
        Settings settings = new Settings();
        settings.setFormat(unaligned ? Format.UNALIGNED : Settings.parseFormat(format));
        settings.setTuplesOnly(tuplesOnly);
        settings.setExpanded(expanded ? Expanded.ON : Expanded.AUTO);
        settings.setNullText(nullText);
        for (Source source : sources) {
            check(source);
        }
        try (DaedalusClient client = cluster.connect(cluster.endpoints())) {
            if (sources.isEmpty() && isTerminal()) {
                return Shell.onTerminal(client, settings, StateDirectory.ofUser().sqlHistory());
            }
            Session session = new Session(client, settings);
            session.awaitContact();
            return runAll(session) ? 0 : CliException.FAILED;
        }
    }

    private static boolean isTerminal() {
        return TerminalSize.isTerminal(TerminalSize.STANDARD_INPUT)
                && TerminalSize.isTerminal(TerminalSize.STANDARD_OUTPUT);
    }

    private boolean runAll(Session session) throws CliException, IOException {
        MetaCommands commands = new MetaCommands(session);
        if (sources.isEmpty()) {
            return Script.runStream(session, commands, System.in, "stdin");
        }
        boolean fine = true;
        for (Source source : sources) {
            if (source.text != null) {
                if (!runText(session, commands, source.text)) {
                    return false;
                }
            } else if (source.file.equals("-")) {
                fine &= Script.runStream(session, commands, System.in, "stdin");
            } else {
                fine &= Script.runFile(session, commands, source.file);
            }
            if (session.hasQuit()) {
                break;
            }
        }
        return fine;
    }

    /** Refuses what cannot be meant before anything has been sent. */
    private static void check(Source source) throws CliException {
        if (source.text != null && !isCommand(source.text) && statementsOf(source.text).isEmpty()) {
            throw CliException.usage("-c has no statement");
        }
    }

    private static boolean runText(Session session, MetaCommands commands, String text)
            throws CliException, IOException {
        if (isCommand(text)) {
            return commands.run(text.strip(), Origin.of(text));
        }
        for (Statement statement : statementsOf(text)) {
            if (!session.run(Origin.of(statement.text()))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isCommand(String text) {
        return text.stripLeading().startsWith("\\");
    }

    private static List<Statement> statementsOf(String text) throws CliException {
        StatementSplitter splitter = new StatementSplitter();
        List<Statement> statements = new ArrayList<>(splitter.feed(text));
        statements.addAll(splitter.finish());
        return statements;
    }
}
