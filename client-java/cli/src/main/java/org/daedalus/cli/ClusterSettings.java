package org.daedalus.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The settings that the options of `up` come to. Those that decide where rows are, and whether they are kept, stay the
 * same as long as there are rows; when an update is synced, {@code windowMib}, {@code aggregators}, {@code answers},
 * the ports, {@code users} and {@code blockWrites} need not.
 *
 * @param windowMib of a segment, for values that updates overwrote (docs/configuration.md, "Window")
 * @param postgresPort of the first aggregator, for clients of PostgreSQL's protocol; the others have those after it
 * @param users the file of those who may log in there, with a password; empty: everybody on this machine, without one
 */
record ClusterSettings(int storageNodes, int segments, int segmentMib, int windowMib,
        ClusterPlan.Placement partitionBy, ClusterPlan.Placement segmentBy, Durability durability, int aggregators,
        AnswerRoom answers, int port, int postgresPort, Optional<String> users, BlockWrites blockWrites) {
    /** Nodes take this by themselves. */
    static final int WINDOW_MIB_DEFAULT = 64;

    private static final int PORT_DEFAULT = 7400;
    private static final int POSTGRES_PORT_DEFAULT = 5433;

    /** This port comes behind the writer's, which is P+50. */
    private static final int POSTGRES_PORT_OFFSET = 51;

    /** Chooses the window, and the port for clients of PostgreSQL's protocol, that nobody has asked for. */
    ClusterSettings(int storageNodes, int segments, int segmentMib, ClusterPlan.Placement partitionBy,
            ClusterPlan.Placement segmentBy, Durability durability, int aggregators, AnswerRoom answers, int port) {
        this(storageNodes, segments, segmentMib, WINDOW_MIB_DEFAULT, partitionBy, segmentBy, durability, aggregators,
                answers, port, postgresPortOf(port), Optional.empty(), BlockWrites.REFUSE);
    }

    /** 5433 where the cluster has the ports it has by default, otherwise one of its own: two clusters never meet. */
    static int postgresPortOf(int port) {
        return port == PORT_DEFAULT ? POSTGRES_PORT_DEFAULT : port + POSTGRES_PORT_OFFSET;
    }

    /** Returns the differences from {@code other} that must not be, each as "OPTION is A there, not B". */
    List<String> differencesFrom(ClusterSettings other) {
        List<String> found = new ArrayList<>();
        compare(found, "--storage-nodes", other.storageNodes, storageNodes);
        compare(found, "--segments", other.segments, segments);
        compare(found, "--segment-mib", other.segmentMib, segmentMib);
        compare(found, "--partition-by", other.partitionBy, partitionBy);
        compare(found, "--segment-by", other.segmentBy, segmentBy);
        if (other.durability.keepsRows() != durability.keepsRows()) {
            compare(found, "--durability", other.durability.mode().word(), durability.mode().word());
        }
        return found;
    }

    private static void compare(List<String> found, String option, Object there, Object here) {
        if (!there.equals(here)) {
            found.add(option + " is " + there + " there, not " + here);
        }
    }
}
