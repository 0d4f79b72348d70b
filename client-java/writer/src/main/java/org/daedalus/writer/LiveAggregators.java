package org.daedalus.writer;

import java.util.ArrayList;
import java.util.List;

/** The aggregators that are connected, in the order of their peers, and the next sequence of an operation to each. */
final class LiveAggregators {
    private static final class Live {
        private final long peer;
        private long nextSequence;

        private Live(long peer, long nextSequence) {
            this.peer = peer;
            this.nextSequence = nextSequence;
        }

        private KeptUpdate.Carrier next() {
            return new KeptUpdate.Carrier(peer, nextSequence++);
        }
    }

    private final List<Live> all = new ArrayList<>();

    /** A connection is there; its first operation is {@code firstSequence}. */
    void add(long peer, long firstSequence) {
        int place = 0;
        while (place < all.size() && all.get(place).peer < peer) {
            place++;
        }
        all.add(place, new Live(peer, firstSequence));
    }

    void remove(long peer) {
        all.removeIf(each -> each.peer == peer);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns the next operation to {@code peer}, which must be there. */
    KeptUpdate.Carrier to(long peer) {
        return all.stream().filter(each -> each.peer == peer).findFirst().orElseThrow().next();
    }

    /** Returns the next operation to the first one from {@code peer} on, in turn. Precondition: there is one. */
    KeptUpdate.Carrier toFirstFrom(long peer) {
        return all.stream().filter(each -> each.peer >= peer).findFirst().orElse(all.get(0)).next();
    }

    /** Returns the next operation to whose turn it is with {@code timestamp}. Precondition: there is one. */
    KeptUpdate.Carrier toNextOf(long timestamp) {
        return all.get((int) (timestamp % all.size())).next();
    }
}
