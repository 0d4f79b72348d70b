package org.daedalus.cli.export;

import java.util.List;
import org.daedalus.client.ResultSet;

/**
 * The prefixes that slices were in. Every segment gets every timestamp, also of updates that are none of its business
 * (docs/protocol.md, "Slices"): where all are the same, what was read is one state of the whole table.
 */
final class StampRange {
    private long lowest = Long.MAX_VALUE;
    private long highest = Long.MIN_VALUE;

    void add(List<ResultSet.Stamp> stamps) {
        for (ResultSet.Stamp stamp : stamps) {
            lowest = Math.min(lowest, stamp.applied());
            highest = Math.max(highest, stamp.applied());
        }
    }

    /** Says whether all stamps were equal. */
    boolean isOne() {
        return lowest == highest;
    }

    String describe() {
        return isOne() ? "exact at timestamp " + lowest
                : "mixed: from timestamps " + lowest + " to " + highest;
    }
}
