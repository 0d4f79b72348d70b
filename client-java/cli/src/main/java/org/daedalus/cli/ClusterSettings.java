package org.daedalus.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * What the options of `up` come to. Those that decide where rows are, and whether they are kept, stay what they are for
 * as long as there are rows; when an update is synced, {@code aggregators}, {@code answers} and {@code port} do not.
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
