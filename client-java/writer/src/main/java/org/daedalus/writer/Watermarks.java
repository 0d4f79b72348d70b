package org.daedalus.writer;

import java.util.Map;
import java.util.TreeMap;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * Knows how far every storage node is, in the life in which it granted the epoch: what it said in another one does not
 * bind it. Timestamps are unsigned by contract and far below 2^63 in fact.
 */
final class Watermarks {
    private record Mark(long incarnation, long durable) {}

    private final Map<Integer, Mark> marks = new TreeMap<>();
    private final Map<Integer, Long> languages = new TreeMap<>();
    private long lowest = Long.MAX_VALUE;

    /** Starts to count the node's word as it says this: it may be behind what it was in an earlier life. */
    void start(NodeWatermark node) {
        marks.put(node.getNode(), new Mark(node.getIncarnation(), node.getDurable()));
        findLowest();
        learnLanguage(node);
    }

    /** Learns of which language the node's program is, whichever life says it. */
    void learnLanguage(NodeWatermark node) {
        languages.put(node.getNode(), node.getLanguage());
    }

    /** Some node whose program is older than that version; null: there is none. Those that are not known are newer. */
    Integer olderThan(int version, Language language) {
        for (Map.Entry<Integer, Long> node : languages.entrySet()) {
            if (language.versionOf(node.getValue()).orElse(language.version()) < version) {
                return node.getKey();
            }
        }
        return null;
    }

    private void findLowest() {
        lowest = Long.MAX_VALUE;
        for (Mark mark : marks.values()) {
            lowest = Math.min(lowest, mark.durable());
        }
    }

    /** Takes the watermarks of a confirmation; returns true when the lowest has risen. */
    boolean advance(WriteConfirmed confirmed) {
        boolean rises = false;
        for (NodeWatermark node : confirmed.getWatermarksList()) {
            learnLanguage(node);
            Mark known = marks.get(node.getNode());
            if (known != null && known.incarnation() == node.getIncarnation() && node.getDurable() > known.durable()) {
                marks.put(node.getNode(), new Mark(known.incarnation(), node.getDurable()));
                rises = true;
            }
        }
        if (!rises) {
            return false;
        }
        long before = lowest;
        findLowest();
        return lowest > before;
    }

    /** Returns the node's durable watermark; 0 when it is unknown. */
    long of(int node) {
        Mark known = marks.get(node);
        return known == null ? 0 : known.durable();
    }

    /** Every node's durable watermark has reached this. */
    long lowest() {
        return lowest;
    }

    /** Returns the node that is furthest behind; the first of equals. */
    Map.Entry<Integer, Long> slowest() {
        Map.Entry<Integer, Long> slowest = null;
        for (Map.Entry<Integer, Mark> node : marks.entrySet()) {
            if (slowest == null || node.getValue().durable() < slowest.getValue()) {
                slowest = Map.entry(node.getKey(), node.getValue().durable());
            }
        }
        return slowest;
    }
}
