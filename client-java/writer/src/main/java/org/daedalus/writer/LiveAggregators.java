package org.daedalus.writer;

import java.util.TreeMap;

/** The aggregators that are connected, and the next sequence of an operation to each. */
final class LiveAggregators {
    private final TreeMap<Long, Long> nextSequence = new TreeMap<>();

    /** A connection is there; its first operation is {@code firstSequence}. */
    void add(long peer, long firstSequence) {
        nextSequence.put(peer, firstSequence);
    }

    void remove(long peer) {
        nextSequence.remove(peer);
    }

    boolean isEmpty() {
        return nextSequence.isEmpty();
    }

    /** The next operation to the first one. Precondition: there is one. */
    KeptUpdate.Carrier toFirst() {
        return to(nextSequence.firstKey());
    }

    /** The next operation to whose turn it is with {@code timestamp}. Precondition: there is one. */
    KeptUpdate.Carrier toNextOf(long timestamp) {
        return to(nextSequence.keySet().stream().skip(timestamp % nextSequence.size()).findFirst().orElseThrow());
    }

    private KeptUpdate.Carrier to(long peer) {
        long sequence = nextSequence.get(peer);
        nextSequence.put(peer, sequence + 1);
        return new KeptUpdate.Carrier(peer, sequence);
    }
}
