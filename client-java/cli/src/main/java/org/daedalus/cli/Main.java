package org.daedalus.cli;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.daedalus.channel.ProcessEnd;
import org.daedalus.cli.export.ExportCommand;
import org.daedalus.cli.load.LoadCommand;
import org.daedalus.cli.load.SchemaCommand;
import org.daedalus.cli.sql.SqlCommand;
import org.daedalus.cli.user.UserCommand;
import org.daedalus.client.DaedalusException;
import org.daedalus.output.Errors;
import org.daedalus.wire.BuildVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** The command line's entry: names the commands, turns failures into one line and an exit code. */
@Command(
        name = "daedalus",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Starts, loads, asks and stops a Daedalus cluster.",
        subcommands = {SchemaCommand.class, UpCommand.class, LoadCommand.class, ExportCommand.class, SqlCommand.class,
            StatusCommand.class, DownCommand.class, UserCommand.class, CommandLine.HelpCommand.class},
        footer = {
            "",
            "The cluster is --cluster HOST:PORT, else DAEDALUS_CLUSTER, else the last `up` on this machine.",
            "Exit codes: 0 fine, 1 the cluster said no (to all of it or to some rows), 2 usage."
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private Main() {}

    /** Answers {@code --version}. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"daedalus " + BuildVersion.text()};
        }
    }

    public static void main(String[] arguments) {
        ProcessEnd.onOutOfMemoryOf("daedalus");
        PrintStream out = utf8(System.out);
        System.setOut(out);
        System.setErr(utf8(System.err));
        int exitCode = runCommand(arguments);
        out.flush();
        System.exit(exitCode);
    }

    /** Runs one command and returns its exit code. */
    public static int runCommand(String... arguments) {
        CommandLine main = new CommandLine(new Main());
        CommandLine.IParameterExceptionHandler usual = main.getParameterExceptionHandler();
        return main
                .setParameterExceptionHandler((failure, given) ->
                        suggest(failure) ? CliException.USAGE : usual.handleParseException(failure, given))
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> report(failure))
                .setExitCodeExceptionMapper(failure -> CliException.USAGE)
                .execute(arguments);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
    }

    /** Names the option or the command that was meant instead of explaining all of them; false: nothing is near. */
    private static boolean suggest(CommandLine.ParameterException failure) {
        if (!(failure instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            return false;
        }
        CommandLine command = failure.getCommandLine();
        if (!unmatched.isUnknownOption()) {
            return suggestCommand(command, unmatched.getUnmatched().get(0));
        }
        String option = unmatched.getUnmatched().get(0).replaceFirst("=.*", "");
        return Similarity.nearest(option, command.getCommandSpec().optionsMap().keySet()).map(meant -> {
            System.err.println("Unknown option: '" + option + "'. Did you mean " + meant + "?\n`"
                    + command.getCommandSpec().qualifiedName() + " --help` explains all options.");
            return true;
        }).orElse(false);
    }

    private static boolean suggestCommand(CommandLine command, String written) {
        if (command.getSubcommands().isEmpty()) {
            return false;
        }
        String name = command.getCommandSpec().qualifiedName();
        String meant = Similarity.nearest(written, command.getSubcommands().keySet())
                .map(near -> ": did you mean `" + name + " " + near + "`? ").orElse("; ");
        System.err.println("daedalus: unknown command '" + written + "'" + meant + "`" + name
                + " --help` lists all commands");
        return true;
    }

    private static int report(Exception failure) throws Exception {
        if (failure instanceof CliException known) {
            System.err.println("daedalus: " + known.getMessage());
            return known.exitCode();
        }
        if (failure instanceof DaedalusException refusal) {
            System.err.println(Errors.render(refusal, null));
            return CliException.FAILED;
        }
        if (failure instanceof java.io.IOException) {
            System.err.println("daedalus: " + failure.getClass().getSimpleName() + ": " + failure.getMessage());
            return CliException.FAILED;
        }
        throw failure;
    }

    private static PrintStream utf8(PrintStream stream) {
        return new PrintStream(stream, true, StandardCharsets.UTF_8);
    }
}
