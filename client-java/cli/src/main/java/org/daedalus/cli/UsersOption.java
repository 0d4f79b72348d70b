package org.daedalus.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Says which users file a command is about. */
public final class UsersOption {
    @Option(names = "--users", paramLabel = "FILE",
            description = "the users file; default: that of the last `up --users` on this machine")
    private Path file;

    /** Returns the file, whether it exists or not. */
    public Path file() throws CliException, IOException {
        if (file != null) {
            return file.toAbsolutePath().normalize();
        }
        StateDirectory state = StateDirectory.ofUser();
        Optional<String> last = state.lastEndpoint();
        Optional<LocalCluster> cluster = last.isPresent() ? state.find(last.get()) : Optional.empty();
        if (cluster.isEmpty()) {
            throw CliException.usage("no cluster was started on this machine: name the file with --users FILE");
        }
        Path directory = cluster.get().directory();
        return KeptPlan.read(directory).flatMap(plan -> plan.settings().users()).map(Path::of)
                .orElseThrow(() -> CliException.usage("the cluster in " + directory + " has no users file: it lets in "
                        + "everybody on this machine. Start it with `daedalus up --users FILE`, or name a file of "
                        + "another cluster with --users FILE"));
    }
}
