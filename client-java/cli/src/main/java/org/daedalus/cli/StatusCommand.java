package org.daedalus.cli;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.output.Errors;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.StatusReply;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** `daedalus status`: what the cluster says of itself and, for a local one, which processes are dead. */
@Command(name = "status", mixinStandardHelpOptions = true,
        description = "Shows nodes, segments, rows, memory, cycle times, queues, prefixes and who writes.")
final class StatusCommand implements Callable<Integer> {
    @Option(names = "--format", paramLabel = "table|json", defaultValue = "table",
            description = "default: ${DEFAULT-VALUE}")
    private String format;

    @Mixin
    private ClusterOption cluster;

    @Override
    public Integer call() throws CliException, IOException {
        if (!format.equals("table") && !format.equals("json")) {
            throw CliException.usage("--format must be table or json, not '" + format + "'");
        }
        String[] endpoints = cluster.endpoints();
        Optional<LocalCluster> local = StateDirectory.ofUser().find(endpoints[0]);
        List<LocalCluster.Member> dead = local.map(known ->
                known.processes().stream().filter(member -> !member.isAlive()).toList()).orElse(List.of());
        StatusReply reply = null;
        DaedalusException failure = null;
        try (DaedalusClient client = cluster.connect(endpoints)) {
            reply = client.await(ClientAccess.get().status(client));
        } catch (DaedalusException e) {
            failure = e;
        }
        System.out.print(format.equals("json")
                ? StatusView.json(reply, dead, failure) + "\n"
                : StatusView.table(reply, dead));
        if (failure != null) {
            System.err.println(Errors.render(failure, null));
        }
        return failure == null && dead.isEmpty() && isWell(reply) ? 0 : CliException.FAILED;
    }

    private static boolean isWell(StatusReply reply) {
        return reply.getAggregator().getWriterReachable()
                && reply.getNodesList().stream().allMatch(StatusCommand::isWell);
    }

    private static boolean isWell(NodeStatus node) {
        return node.getReachable() && node.getProblem().isEmpty();
    }
}
