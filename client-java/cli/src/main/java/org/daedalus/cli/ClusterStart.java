package org.daedalus.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.StatusReply;

/**
 * Starts a planned cluster's processes and waits until they serve. However a start ends that does not succeed, be it
 * that this process is ended from outside, what was started is stopped, and what ran before goes on.
 */
final class ClusterStart {
    private static final Duration READY_MAX = Duration.ofSeconds(30);
    /** Nodes touch all of their memory before they serve, at three GiB a second where nothing is in the way. */
    private static final Duration READY_MAX_EACH_GIB = Duration.ofSeconds(2);
    private static final int GIB_SHIFT = 30;
    private static final Duration ASK_MAX = Duration.ofSeconds(2);

    private final ClusterPlan plan;
    private final Launcher launcher;
    private final List<LocalCluster.Member> running;
    private final List<Launcher.Started> started = new ArrayList<>();
    private final Duration readyMax;
    private final RecoveryProgress progress;
    private long endNs;
    /** All of it serves, or has been given up, so that nothing is started or stopped any more. */
    private boolean isOver;

    /** Makes others know the cluster, as the last step of a start. */
    interface Announcement {
        void announce(LocalCluster cluster) throws CliException, IOException;
    }

    /**
     * A start that is given up after {@code readyMax} in which nothing has got further.
     *
     * @param running processes of the cluster that need not be started
     */
    ClusterStart(ClusterPlan plan, Launcher launcher, Duration readyMax, List<LocalCluster.Member> running) {
        this.plan = plan;
        this.launcher = launcher;
        this.readyMax = readyMax;
        this.running = List.copyOf(running);
        this.progress = new RecoveryProgress(System.err::println);
        this.endNs = System.nanoTime() + readyMax.toNanos();
    }

    /** Returns how long a cluster may take until it serves. */
    static Duration readyMax(ClusterPlan plan) {
        return READY_MAX.plus(READY_MAX_EACH_GIB.multipliedBy(plan.segmentBytes() >> GIB_SHIFT));
    }

    /** Returns the running cluster; its data directory remembers it then, and {@code announcement} was made. */
    LocalCluster run(Announcement announcement) throws CliException, IOException {
        Interruption interruption = new Interruption(this::onInterruption);
        try {
            for (ClusterPlan.Member member : plan.configured()) {
                start(member);
            }
            awaitAll("the storage nodes", ClusterStart::nodesProblem);
            start(plan.writer());
            awaitAll("the logical writer", ClusterStart::writerProblem);
            return finish(announcement);
        } catch (CliException | IOException | RuntimeException e) {
            fail();
            throw e;
        } finally {
            interruption.forget();
        }
    }

    private synchronized LocalCluster finish(Announcement announcement) throws CliException, IOException {
        stopIfOver();
        LocalCluster cluster = remember();
        announcement.announce(cluster);
        isOver = true;
        return cluster;
    }

    private synchronized void fail() throws IOException {
        stopIfOver();
        giveUp();
    }

    private void giveUp() throws IOException {
        isOver = true;
        Launcher.stop(started.stream().map(Launcher.Started::member).toList());
        started.clear();
        LocalCluster left = remember();
        if (left.processes().isEmpty()) {
            left.delete();
        }
    }

    /** Somebody ends this process, while its other thread is still at work or waits for something. */
    private synchronized void onInterruption() {
        if (isOver) {
            return;
        }
        try {
            giveUp();
            System.err.println("daedalus: interrupted: what had been started is stopped again");
        } catch (IOException e) {
            System.err.println("daedalus: interrupted: what had been started is stopped again, but "
                    + plan.directory() + " could not be told: " + e.getMessage());
        }
    }

    /** Does not return where the start was interrupted: the process ends, and has said why. */
    private void stopIfOver() {
        while (isOver) {
            Launcher.pause();
        }
    }

    private synchronized void start(ClusterPlan.Member member) throws CliException, IOException {
        stopIfOver();
        if (running.stream().anyMatch(other -> other.name().equals(member.name()))) {
            return;
        }
        started.add(launcher.start(member));
        remember();
    }

    /** Lists the processes in the order in which all of them start: `down` goes backwards through it. */
    private LocalCluster remember() throws IOException {
        List<LocalCluster.Member> known = new ArrayList<>(running);
        started.forEach(process -> known.add(process.member()));
        List<String> order = plan.members().stream().map(ClusterPlan.Member::name).toList();
        known.sort(Comparator.comparingInt(member -> order.indexOf(member.name())));
        LocalCluster cluster = new LocalCluster(plan.directory(), List.copyOf(known));
        cluster.write();
        return cluster;
    }

    /** Says what one aggregator still misses; empty when it misses nothing. */
    private interface Check {
        String problem(StatusReply status, ClusterPlan plan);
    }

    private void awaitAll(String what, Check check) throws CliException, IOException {
        for (ClusterPlan.Member aggregator : plan.aggregatorMembers()) {
            try (DaedalusClient client = DaedalusClient.builder().aggregators(aggregator.endpoint())
                    .name("daedalus-cli").requestTimeout(ASK_MAX).build()) {
                await(client, aggregator.name(), what, check);
            }
        }
    }

    private void await(DaedalusClient client, String aggregator, String what, Check check)
            throws CliException, IOException {
        String problem = "";
        while (true) {
            failIfDead();
            long nowNs = System.nanoTime();
            if (progress.look(started, nowNs)) {
                endNs = nowNs + readyMax.toNanos();
            }
            try {
                problem = check.problem(client.await(ClientAccess.get().status(client)), plan);
                if (problem.isEmpty()) {
                    return;
                }
            } catch (DaedalusException e) {
                problem = e.getMessage();
            }
            if (System.nanoTime() >= endNs) {
                throw CliException.failed(what + " did not become ready within " + readyMax.toSeconds() + " s"
                        + (progress.isAny() ? " of the last progress (" : " (")
                        + aggregator + " says: " + problem + ")" + tails());
            }
            Launcher.pause();
        }
    }

    private static String nodesProblem(StatusReply status, ClusterPlan plan) {
        for (NodeStatus node : status.getNodesList()) {
            if (!node.getReachable() || !node.getProblem().isEmpty()) {
                return "node " + node.getNode() + ": "
                        + (node.getProblem().isEmpty() ? "not reachable" : node.getProblem());
            }
        }
        int missing = plan.settings().storageNodes() - status.getNodesCount();
        return missing == 0 ? "" : missing + " storage nodes are missing";
    }

    private static String writerProblem(StatusReply status, ClusterPlan plan) {
        // One that has just been registered may still find out that it must not be the writer.
        return status.getAggregator().getWriterReachable() ? status.getWriter().getProblem()
                : "the writer is not registered";
    }

    private synchronized void failIfDead() throws CliException, IOException {
        stopIfOver();
        for (LocalCluster.Member member : running) {
            if (!member.isAlive()) {
                throw CliException.failed(member.name() + ", which was still running, has ended: "
                        + String.join("\n", member.lastWords()));
            }
        }
        for (Launcher.Started process : started) {
            if (!process.process().isAlive()) {
                throw CliException.failed(process.member().name() + " ended with exit code "
                        + process.process().exitValue() + tail(process));
            }
        }
    }

    private String tails() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Launcher.Started process : started) {
            text.append(tail(process));
        }
        return text.toString();
    }

    private static String tail(Launcher.Started process) throws IOException {
        Path log = process.log();
        return "\n--- " + log + "\n" + Launcher.logTail(log);
    }
}
