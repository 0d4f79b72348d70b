package org.daedalus.writer;

import java.util.Map;
import java.util.TreeMap;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.WriteConfirmed;

/** How far every storage node is. Timestamps are unsigned by contract and far below 2^63 in fact. */
final class Watermarks {
    private final Map<Integer, Long> durable = new TreeMap<>();

    void start(NodeWatermark node) {
        durable.put(node.getNode(), node.getDurable());
    }

    /** True when the lowest watermark has risen. */
    boolean advance(WriteConfirmed confirmed) {
        long before = lowest();
        for (NodeWatermark node : confirmed.getWatermarksList()) {
            durable.computeIfPresent(node.getNode(), (id, known) -> Math.max(known, node.getDurable()));
        }
        return lowest() > before;
    }

    /** The node's durable watermark; 0 when it is unknown. */
    long of(int node) {
        return durable.getOrDefault(node, 0L);
    }

    /** Every node's durable watermark has reached this. */
    long lowest() {
        return durable.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    }

    /** The node that is furthest behind; the first of equals. */
    Map.Entry<Integer, Long> slowest() {
        Map.Entry<Integer, Long> slowest = null;
        for (Map.Entry<Integer, Long> node : durable.entrySet()) {
            if (slowest == null || node.getValue() < slowest.getValue()) {
                slowest = node;
            }
        }
        return slowest;
    }
}
