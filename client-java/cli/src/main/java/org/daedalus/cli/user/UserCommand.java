package org.daedalus.cli.user;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** `daedalus user`: the file that says who may log in by PostgreSQL's protocol (docs/postgres.md). */
@Command(name = "user", mixinStandardHelpOptions = true,
        description = "Says who may log in by PostgreSQL's protocol, and do what.",
        subcommands = {AddCommand.class, RemoveCommand.class, ListCommand.class},
        footer = {"", "Aggregators read the file again within seconds. It has what passwords are checked with, never "
            + "passwords."})
public final class UserCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing: add, remove or list");
    }
}
