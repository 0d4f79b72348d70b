package org.daedalus.writer;

import java.util.HashMap;
import java.util.Map;

/** Remembers which gaps nodes have told of, so that one that several updates have seen causes one sending again. */
final class ServedGaps {
    private record Gap(long lastAccepted, long servedNs) {}

    private final Map<Integer, Gap> byNode = new HashMap<>();

    /** Nodes may tell of the same gaps anew. */
    void clear() {
        byNode.clear();
    }

    /** Says whether nothing has been done about the gap in the last {@code waitNs}; from now on something has. */
    boolean isNew(int node, long lastAccepted, long nowNs, long waitNs) {
        Gap served = byNode.get(node);
        if (served != null && served.lastAccepted() == lastAccepted && nowNs < served.servedNs() + waitNs) {
            return false;
        }
        byNode.put(node, new Gap(lastAccepted, nowNs));
        return true;
    }
}
