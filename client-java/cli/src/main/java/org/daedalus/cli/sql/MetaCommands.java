package org.daedalus.cli.sql;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.daedalus.cli.CliException;
import org.daedalus.cli.Similarity;
import org.daedalus.output.Origin;
import org.daedalus.output.StatementOutput.Format;
import org.daedalus.output.Style.Expanded;

/** The commands that begin with a backslash, named as psql names them. */
final class MetaCommands {
    private static final int FILE_DEPTH_MAX = 16;

    /** Carries out a command; returns false when it ended in an error. */
    private interface Action {
        boolean run(List<String> arguments, Origin origin) throws CliException, IOException;
    }

    private record Command(String usage, String help, Action action) {}

    private final Session session;
    private final Settings settings;
    private final Map<String, Command> commands = new LinkedHashMap<>();
    private int fileDepth;

    MetaCommands(Session session) {
        this.session = session;
        this.settings = session.settings();
        add("?", "", "these commands", (arguments, origin) -> help());
        add("h", "[WORD]", "what SQL there is, or how a statement is written", (arguments, origin) ->
                print(SqlHelp.about(arguments.isEmpty() ? "" : arguments.get(0))));
        add("d", "[TABLE]", "columns, types, defaults and keys of the table", this::describe);
        add("df", "[PATTERN]", "functions, what each gives and takes; * stands for anything", (arguments, origin) ->
                print(FunctionList.about(arguments.isEmpty() ? "" : arguments.get(0))));
        add("dt", "", "the table's name", (arguments, origin) -> print(session.table().tableName()));
        add("x", "[on|off|auto]", "one column a line: always, never, or where rows are wider than the terminal",
                (arguments, origin) -> expand(arguments));
        add("t", "[on|off]", "rows alone: no head, no line with counts", (arguments, origin) -> {
            settings.setTuplesOnly(toggled(arguments, settings.tuplesOnly()));
            return say("Rows alone is " + onOff(settings.tuplesOnly()) + ".");
        });
        add("a", "", "aligned tables, or values with | between them", (arguments, origin) -> {
            settings.setFormat(settings.format() == Format.UNALIGNED ? Format.TABLE : Format.UNALIGNED);
            return say("Format is " + Settings.nameOf(settings.format()) + ".");
        });
        add("timing", "[on|off]", "how long each answer took", (arguments, origin) -> {
            settings.setTiming(toggled(arguments, settings.timing()));
            return say("Timing is " + onOff(settings.timing()) + ".");
        });
        add("pset", "[null TEXT | format NAME | pager on|off]", "how answers look; alone: how they look now",
                (arguments, origin) -> set(arguments));
        add("i", "FILE", "run the statements and commands of a file", (arguments, origin) -> include(arguments));
        add("o", "[FILE]", "write answers to a file; alone: here again", (arguments, origin) -> redirect(arguments));
        add("echo", "TEXT", "print the text", (arguments, origin) -> print(String.join(" ", arguments)));
        add("q", "", "end", (arguments, origin) -> {
            session.quit();
            return true;
        });
    }

    /** Names of all commands with their backslash. */
    List<String> names() {
        return commands.keySet().stream().map(name -> "\\" + name).toList();
    }

    /** Runs one line that begins with a backslash; false: an error, which has been printed. */
    boolean run(String line, Origin origin) throws IOException {
        List<String> words = Words.split(line.substring(1).replaceFirst(";\\s*$", ""));
        String name = words.isEmpty() ? "" : words.get(0);
        Command command = commands.get(name.equals("d+") ? "d" : name);
        try {
            if (command == null) {
                throw CliException.usage("there is no command \\" + name + suggestion(name) + "; \\? shows them all");
            }
            return command.action.run(words.subList(1, words.size()), origin);
        } catch (CliException e) {
            return fail(origin, e.getMessage());
        } catch (org.daedalus.client.DaedalusException e) {
            return fail(origin, org.daedalus.output.Errors.render(e, null));
        }
    }

    private static boolean fail(Origin origin, String message) {
        System.out.flush();
        System.err.println((origin.file() == null ? "" : origin.file() + ":" + origin.line() + ": ") + message);
        System.err.flush();
        return false;
    }

    private void add(String name, String usage, String help, Action action) {
        commands.put(name, new Command(usage, help, action));
    }

    private String suggestion(String name) {
        return Similarity.nearest(name, commands.keySet()).map(each -> ": did you mean \\" + each + "?").orElse("");
    }

    private boolean help() throws IOException {
        StringBuilder text = new StringBuilder()
                .append("A statement ends with a semicolon, or with \\g; \\gx shows its answer one column a line.\n")
                .append("DESCRIBE shows the table's columns. Ctrl-C cancels what runs, Ctrl-D ends.\n\n");
        commands.forEach((name, command) ->
                text.append(String.format("  %-46s %s%n", ("\\" + name + " " + command.usage).strip(), command.help)));
        return print(text.toString().stripTrailing());
    }

    private boolean describe(List<String> arguments, Origin origin) throws IOException {
        return session.describe(new Origin("", origin.file(), origin.line()),
                arguments.isEmpty() ? null : arguments.get(0));
    }

    private boolean expand(List<String> arguments) throws CliException, IOException {
        if (arguments.size() == 1 && arguments.get(0).equals("auto")) {
            settings.setExpanded(Expanded.AUTO);
        } else {
            boolean on = toggled(arguments, settings.expanded() == Expanded.ON);
            settings.setExpanded(on ? Expanded.ON : Expanded.OFF);
        }
        return say("Expanded display is " + Settings.nameOf(settings.expanded()) + ".");
    }

    private boolean set(List<String> arguments) throws CliException, IOException {
        if (arguments.isEmpty()) {
            String nullText = settings.nullText() == null ? "(the format's own)" : "'" + settings.nullText() + "'";
            return print("null      " + nullText + "\nformat    " + Settings.nameOf(settings.format())
                    + "\nexpanded  " + Settings.nameOf(settings.expanded())
                    + "\npager     " + onOff(settings.pager()));
        }
        List<String> values = arguments.subList(1, arguments.size());
        switch (arguments.get(0)) {
            case "null" -> settings.setNullText(values.isEmpty() ? null : values.get(0));
            case "format" -> {
                if (values.isEmpty()) {
                    throw CliException.usage("\\pset format wants one of " + Settings.formatNames());
                }
                settings.setFormat(Settings.parseFormat(values.get(0)));
            }
            case "pager" -> settings.setPager(toggled(values, settings.pager()));
            case "expanded", "x" -> {
                return expand(values);
            }
            case "tuples_only", "t" -> settings.setTuplesOnly(toggled(values, settings.tuplesOnly()));
            default -> throw CliException.usage("\\pset knows null, format, pager, expanded and tuples_only, not '"
                    + arguments.get(0) + "'");
        }
        return true;
    }

    private boolean include(List<String> arguments) throws CliException, IOException {
        if (arguments.size() != 1) {
            throw CliException.usage("\\i wants a file");
        }
        if (fileDepth >= FILE_DEPTH_MAX) {
            throw CliException.usage("files include each other more than " + FILE_DEPTH_MAX + " deep");
        }
        fileDepth++;
        try {
            return Script.runFile(session, this, arguments.get(0));
        } finally {
            fileDepth--;
        }
    }

    private boolean redirect(List<String> arguments) throws CliException, IOException {
        Target next = session.standard();
        if (!arguments.isEmpty()) {
            try {
                next = new Target.ToFile(
                        new PrintStream(new FileOutputStream(arguments.get(0)), false, StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw CliException.usage("cannot write " + e.getMessage());
            }
        }
        if (session.redirect(next) instanceof Target.ToFile before) {
            before.file().close();
        }
        return true;
    }

    private boolean print(String text) throws IOException {
        PrintStream out = session.target().begin();
        out.println(text);
        session.target().end(out);
        return true;
    }

    /** Confirms a change to somebody who watches; scripts want answers alone. */
    private boolean say(String text) {
        if (session.isInteractive()) {
            System.out.println(text);
        }
        return true;
    }

    private static String onOff(boolean value) {
        return value ? "on" : "off";
    }

    private static boolean toggled(List<String> arguments, boolean now) throws CliException {
        if (arguments.isEmpty()) {
            return !now;
        }
        return switch (arguments.get(0)) {
            case "on", "true", "1" -> true;
            case "off", "false", "0" -> false;
            default -> throw CliException.usage("'" + arguments.get(0) + "' is neither on nor off");
        };
    }
}
