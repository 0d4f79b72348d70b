package org.daedalus.cli.sql;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.daedalus.cli.CliException;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.TableDescription;
import org.daedalus.output.Errors;
import org.daedalus.output.Style.Expanded;
import org.jline.keymap.KeyMap;
import org.jline.reader.Binding;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Reference;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/**
 * The shell: reads statements and backslash commands from a terminal until the user has had enough. What they do is
 * {@link Script}'s and {@link Session}'s word, as for a file.
 */
public final class Shell {
    private static final Set<String> ENDS = Set.of("quit", "exit");

    private final Terminal terminal;
    private final Session session;
    private final MetaCommands commands;
    private final LineReader reader;
    private final String prompt;

    private Shell(Terminal terminal, Session session, TableDescription table, Path history) {
        this.terminal = terminal;
        this.session = session;
        this.commands = new MetaCommands(session);
        this.prompt = table.tableName() + "=> ";
        this.reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("daedalus")
                .parser(new ShellParser())
                .completer(new ShellCompleter(table, commands.names()))
                .variable(LineReader.HISTORY_FILE, history)
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, table.tableName().replace("%", "%%") + "%M> ")
                .variable(LineReader.INDENTATION, 0)
                .variable(LineReader.BLINK_MATCHING_PAREN, 0) // The cursor would stand still for half a second.
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.CASE_INSENSITIVE, true)
                .option(LineReader.Option.HISTORY_TIMESTAMPED, false)
                .build();
        bindArrows();
        terminal.handle(Terminal.Signal.INT, signal -> { }); // Between a statement and the next line it means nothing.
    }

    /** Terminals send arrow keys in one of two ways, whatever their description says. */
    private void bindArrows() {
        KeyMap<Binding> keys = reader.getKeyMaps().get(LineReader.MAIN);
        for (String prefix : new String[] {"\033[", "\033O"}) {
            keys.bind(new Reference(LineReader.UP_LINE_OR_HISTORY), prefix + "A");
            keys.bind(new Reference(LineReader.DOWN_LINE_OR_HISTORY), prefix + "B");
            keys.bind(new Reference(LineReader.FORWARD_CHAR), prefix + "C");
            keys.bind(new Reference(LineReader.BACKWARD_CHAR), prefix + "D");
            keys.bind(new Reference(LineReader.BEGINNING_OF_LINE), prefix + "H");
            keys.bind(new Reference(LineReader.END_OF_LINE), prefix + "F");
        }
    }

    /** Runs a shell on this process's terminal and returns the exit code. */
    static int onTerminal(DaedalusClient client, Settings settings, Path history) throws IOException {
        try (Terminal terminal = TerminalBuilder.builder().system(true).encoding(StandardCharsets.UTF_8).build()) {
            return run(client, settings, terminal, history);
        }
    }

    /** Runs a shell on {@code terminal}; public for the build, which loads its classes once. */
    public static int train(DaedalusClient client, Terminal terminal, Path history) throws IOException {
        return run(client, new Settings(), terminal, history);
    }

    private static int run(DaedalusClient client, Settings settings, Terminal terminal, Path history)
            throws IOException {
        Session session = new Session(client, settings, new Screen(terminal, settings), true);
        TableDescription table;
        try {
            table = session.table();
        } catch (DaedalusException e) {
            System.err.println(Errors.render(e, null));
            return CliException.FAILED;
        }
        prepareHistory(history);
        System.out.println("daedalus " + DaedalusClient.VERSION + ", table " + table.tableName() + " of cluster "
                + table.clusterId() + "; \\? shows the commands, \\q ends.");
        new Shell(terminal, session, table, history).loop();
        return 0;
    }

    /** Makes the history readable by its owner alone. */
    private static void prepareHistory(Path history) throws IOException {
        if (!Files.exists(history)) {
            Files.createDirectories(history.toAbsolutePath().getParent());
            Files.createFile(history,
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }

    private void loop() throws IOException {
        while (!session.hasQuit()) {
            try {
                String text = reader.readLine(prompt);
                if (ENDS.contains(text.strip().replaceFirst(";$", ""))) {
                    return;
                }
                run(text.strip().equals("help") ? "\\?" : text);
            } catch (UserInterruptException e) {
                continue; // The line that was being written is thrown away.
            } catch (EndOfFileException e) {
                System.out.println("\\q");
                return;
            }
        }
    }

    /** Runs what was typed. Ctrl-C reaches the statement that runs, and nothing else. */
    private void run(String text) throws IOException {
        Thread self = Thread.currentThread();
        Terminal.SignalHandler before = terminal.handle(Terminal.Signal.INT, signal -> self.interrupt());
        Expanded expanded = session.settings().expanded();
        try {
            if (ShellParser.endsExpanded(text)) {
                session.settings().setExpanded(Expanded.ON);
            }
            new Script(session, commands, null).run(new StringReader(ShellParser.withSemicolon(text)));
        } catch (CliException e) {
            System.err.println(e.getMessage());
        } finally {
            if (ShellParser.endsExpanded(text)) {
                session.settings().setExpanded(expanded);
            }
            terminal.handle(Terminal.Signal.INT, before);
            Thread.interrupted(); // It came too late: nothing runs any more.
            session.takeCancelled();
            System.out.flush();
        }
    }
}
