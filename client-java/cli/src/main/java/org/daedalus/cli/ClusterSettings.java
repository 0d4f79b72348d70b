package org.daedalus.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * What the options of `up` come to. All but {@code aggregators}, {@code answers} and {@code port} decide where rows are
 * and how they are kept: they stay what they are for as long as there are rows.
 */
record ClusterSettings(int storageNodes, int segments, int segmentMib, ClusterPlan.Placement partitionBy,
        ClusterPlan.Placement segmentBy, Durability durability, int aggregators, AnswerRoom answers, int port) {
    /** What differs between these and {@code other}, of what must not: as "OPTION is A there, not B". */
    List<String> differencesFrom(ClusterSettings other) {
        List<String> found = new ArrayList<>();
        compare(found, "--storage-nodes", other.storageNodes, storageNodes);
        compare(found, "--segments", other.segments, segments);
        compare(found, "--segment-mib", other.segmentMib, segmentMib);
        compare(found, "--partition-by", other.partitionBy, partitionBy);
        compare(found, "--segment-by", other.segmentBy, segmentBy);
        compare(found, "--durability", other.durability.mode().word(), durability.mode().word());
        if (other.durability.mode() == durability.mode()) {
            compare(found, "--sync-ms", other.durability.syncMs(), durability.syncMs());
        }
        return found;
    }

    private static void compare(List<String> found, String option, Object there, Object here) {
        if (!there.equals(here)) {
            found.add(option + " is " + there + " there, not " + here);
        }
    }
}
