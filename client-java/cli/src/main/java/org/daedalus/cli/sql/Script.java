package org.daedalus.cli.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.daedalus.cli.CliException;
import org.daedalus.output.Origin;

/**
 * Runs a text of statements and backslash commands: each as soon as it has been read, and after an error the next one.
 *
 * <p>What follows each other and only inserts is in flight together: it does not matter to the table which of two
 * INSERTs came first. Everything else waits for all that stands before it and is waited for by all that stands behind
 * it, so that effects are in the order of the text and a query sees exactly the updates before it. Answers are printed
 * in the order of the text.
 */
final class Script {
    static final int IN_FLIGHT_MAX = 512;
    static final int IN_FLIGHT_CHARACTERS_MAX = 8 << 20;

    private static final char BYTE_ORDER_MARK = '\ufeff';

    private final Session session;
    private final MetaCommands commands;
    private final String name;
    private final StatementSplitter splitter = new StatementSplitter();
    private final Deque<Session.Sent> inFlight = new ArrayDeque<>();
    private long charactersInFlight;
    private boolean stopped;
    private boolean fine = true;

    /**
     * A text that has not been read.
     *
     * @param name what errors call it; null: its lines mean nothing to the user
     */
    Script(Session session, MetaCommands commands, String name) {
        this.session = session;
        this.commands = commands;
        this.name = name;
    }

    /** Runs a file; false: something in it ended in an error. */
    static boolean runFile(Session session, MetaCommands commands, String file) throws CliException, IOException {
        Path path = Path.of(file);
        if (Files.isDirectory(path)) {
            throw CliException.usage("cannot read " + path + ": it is a directory");
        }
        if (!Files.isReadable(path)) {
            throw CliException.usage("cannot read " + path + (Files.exists(path) ? "" : ": there is no such file"));
        }
        try (InputStream in = Files.newInputStream(path)) {
            return runStream(session, commands, in, file);
        }
    }

    static boolean runStream(Session session, MetaCommands commands, InputStream in, String name)
            throws CliException, IOException {
        return new Script(session, commands, name).run(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    /** Runs everything; false: something ended in an error. */
    boolean run(Reader text) throws CliException, IOException {
        TextLines lines = new TextLines(text);
        int number = 0;
        while (!stopped) {
            if (!lines.isReady()) {
                finishAll(); // The next line may be long in coming, and its author may wait for an answer.
            }
            String line = lines.next();
            if (line == null) {
                break;
            }
            number++;
            if (number == 1 && line.charAt(0) == BYTE_ORDER_MARK) {
                line = line.substring(1);
            }
            take(line, number);
        }
        for (Statement statement : splitter.finish()) {
            take(statement);
        }
        finishAll();
        return fine;
    }

    private void take(String line, int number) throws CliException, IOException {
        if (splitter.isBetweenStatements() && line.stripLeading().startsWith("\\")) {
            finishAll();
            splitter.feed("\n");
            if (!stopped) {
                fine &= commands.run(line.strip(), origin(line, number));
                stopped = session.hasQuit();
            }
            return;
        }
        for (Statement statement : splitter.feed(line)) {
            take(statement);
        }
    }

    private void take(Statement statement) throws IOException {
        if (stopped) {
            return;
        }
        Origin origin = origin(statement.text(), statement.line());
        if (!Words.first(statement.text()).equals("insert")) {
            finishAll();
            if (!stopped) {
                fine &= session.run(origin);
                stopped = session.takeCancelled();
            }
            return;
        }
        charactersInFlight += statement.text().length();
        inFlight.add(session.send(origin));
        while (inFlight.size() > IN_FLIGHT_MAX || charactersInFlight > IN_FLIGHT_CHARACTERS_MAX) {
            finishFirst();
        }
        while (!inFlight.isEmpty() && inFlight.getFirst().answer().isDone()) {
            finishFirst();
        }
    }

    private void finishAll() throws IOException {
        while (!inFlight.isEmpty()) {
            finishFirst();
        }
    }

    private void finishFirst() throws IOException {
        Session.Sent first = inFlight.removeFirst();
        charactersInFlight -= first.origin().sql().length();
        fine &= session.finish(first);
        stopped |= session.takeCancelled();
    }

    private Origin origin(String text, int line) {
        return new Origin(text, name, line);
    }
}
