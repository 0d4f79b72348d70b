package org.daedalus.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** `daedalus down`: stops the processes of a local cluster. */
@Command(name = "down", mixinStandardHelpOptions = true,
        description = "Stops a local cluster that `up` started; `up` brings it back, table and all.")
final class DownCommand implements Callable<Integer> {
    @Mixin
    private ClusterOption cluster;

    @Option(names = "--data-dir", paramLabel = "DIR",
            description = "the cluster's data directory, instead of --cluster; needed where several clusters run")
    private Path dataDirectory;

    @Override
    public Integer call() throws CliException, IOException {
        StateDirectory state = StateDirectory.ofUser();
        LocalCluster local = find(state);
        List<LocalCluster.Member> alive = local.alive();
        List<LocalCluster.Member> ended = new ArrayList<>(local.processes());
        ended.removeAll(alive);
        // The writer goes first and the storage nodes last, so that nobody complains about who is gone.
        List<LocalCluster.Member> ordered = new ArrayList<>(alive);
        Collections.reverse(ordered);
        List<String> killed = Launcher.stop(ordered);
        List<LocalCluster.Member> left = local.alive();
        if (!left.isEmpty()) {
            throw CliException.failed(left.get(0).name() + " (process " + left.get(0).pid() + ") does not stop");
        }
        local.delete();
        Optional<String> next = state.forget(local);
        String forced = killed.isEmpty() ? "" : "; these had to be killed: " + String.join(", ", killed);
        System.out.println("Stopped " + alive.size() + " of " + local.processes().size() + " processes in "
                + local.directory() + forced);
        for (LocalCluster.Member member : ended) {
            System.out.println(member.name() + " (process " + member.pid() + ") had ended before:");
            member.lastWords().forEach(line -> System.out.println("  " + line));
        }
        System.out.println(whatIsLeft(local.directory()));
        next.ifPresent(endpoint -> System.out.println("Commands go to the cluster at " + endpoint + " now"));
        return 0;
    }

    private static String whatIsLeft(Path directory) throws IOException {
        try {
            Optional<KeptPlan> plan = KeptPlan.read(directory);
            return plan.isPresent() && plan.get().keepsRows()
                    ? "Its table is kept: `daedalus up --data-dir " + directory + "` brings it back"
                    : "Its rows are gone: --durability off keeps them in memory only";
        } catch (CliException e) {
            return e.getMessage();
        }
    }

    private LocalCluster find(StateDirectory state) throws CliException, IOException {
        if (dataDirectory != null) {
            return LocalCluster.find(dataDirectory)
                    .orElseThrow(() -> CliException.failed("no cluster was started in " + dataDirectory));
        }
        List<LocalCluster> running = state.running();
        if (!cluster.isGiven() && running.size() > 1) {
            throw CliException.usage("several clusters run here: say which one with --data-dir DIR. They are in "
                    + String.join(", ", running.stream().map(each -> each.directory().toString()).toList()));
        }
        String endpoint = cluster.endpoints()[0];
        Optional<LocalCluster> local = state.find(endpoint);
        return local.orElseThrow(() -> CliException.failed(
                "the cluster at " + endpoint + " was not started by `up` on this machine"));
    }
}
