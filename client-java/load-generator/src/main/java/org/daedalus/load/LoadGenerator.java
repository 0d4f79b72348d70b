package org.daedalus.load;

import org.daedalus.channel.ProcessEnd;
import org.daedalus.workload.CommandVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine;

/** `daedalus-load-generator`: puts load on a cluster and measures what it answers. */
@Command(name = "daedalus-load-generator",
        subcommands = {QueriesCommand.class, RowsCommand.class, StatementsCommand.class,
            UpdatesCommand.class},
        mixinStandardHelpOptions = true, versionProvider = CommandVersion.class,
        description = "Puts load on a cluster and measures what it answers.")
public final class LoadGenerator {
    private LoadGenerator() {}

    public static void main(String[] arguments) {
        ProcessEnd.onOutOfMemoryOf("daedalus-load-generator");
        System.exit(new CommandLine(new LoadGenerator()).execute(arguments));
    }
}
