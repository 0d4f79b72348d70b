package org.daedalus.writer;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;

/**
 * Decides which aggregators hear of the writer's mark, when, and which of them passes it on to the nodes; remembers
 * which marks the nodes have said they know (docs/protocol.md, "Updates"). Pure; refuses to know updates.
 */
final class Marks {
    /** An aggregator that has heard nothing else for so long hears the mark again. */
    static final long REPEAT_NS = 500_000_000L;
    /** The aggregator that passes marks on answers within this time, or another one does it. */
    static final long ANSWER_NS_MAX = 1_000_000_000L;
    /** A newer mark waits while so many to one aggregator have no answer. */
    static final int UNDER_WAY_MAX = 64;

    private static final long NEVER = Long.MAX_VALUE;
    private static final long NOTHING = -1;

    /** An aggregator that takes marks. */
    private static final class Taker {
        /** The highest mark that was sent to it. */
        private long sent = NOTHING;
        /** The time at which each mark without an answer was sent, by sequence. */
        private final TreeMap<Long, Long> underWay = new TreeMap<>();

        private boolean hasRoom() {
            return underWay.size() < UNDER_WAY_MAX;
        }

        private long silentAtNs() {
            return underWay.isEmpty() ? NEVER : underWay.firstEntry().getValue() + ANSWER_NS_MAX;
        }
    }

    private final LiveAggregators aggregators;
    private final TreeMap<Long, Taker> takers = new TreeMap<>();
    private final Map<Integer, Long> known = new HashMap<>();
    /** This aggregator passes marks on, or the first one behind it that is there. */
    private long passesOnFrom;
    /** Everybody hears the mark again then; {@link #NEVER}: nobody hears anything. */
    private long repeatNs = NEVER;

    Marks(LiveAggregators aggregators) {
        this.aggregators = aggregators;
    }

    /** An aggregator that takes marks is there. */
    void onUp(long peer) {
        takers.putIfAbsent(peer, new Taker());
    }

    void onDown(long peer) {
        takers.remove(peer);
    }

    /** Says whether nobody who is there takes marks. */
    boolean hasNoTakers() {
        return takers.isEmpty();
    }

    /** From now on marks are sent, the first ones at once. */
    void begin(long nowNs) {
        repeatNs = nowNs;
    }

    /** From now on none is sent. */
    void stop() {
        repeatNs = NEVER;
    }

    // ---- sending ----

    long nextDeadlineNs() {
        return repeatNs == NEVER || takers.isEmpty() ? NEVER
                : Math.min(repeatNs, passesOn().getValue().silentAtNs());
    }

    /** Sends the mark to those who have not been sent it, or to all when it is repeated. */
    void send(long mark, long nowNs, WriterEffects effects) {
        if (repeatNs == NEVER || takers.isEmpty()) {
            return;
        }
        replaceWhenSilent(nowNs);
        boolean isRepeated = nowNs >= repeatNs;
        if (isRepeated) {
            repeatNs = nowNs + REPEAT_NS;
        }
        long passesOn = passesOn().getKey();
        takers.forEach((peer, taker) -> {
            if ((isRepeated || taker.sent < mark) && taker.hasRoom()) {
                long sequence = aggregators.to(peer).sequence();
                taker.sent = mark;
                taker.underWay.put(sequence, nowNs);
                effects.sends().add(new WriterEffects.Send(peer, Operation.newBuilder().setHeader(
                        OperationHeader.newBuilder().setSequence(sequence).setKind(OperationKind.OPERATION_KIND_MARK)
                                .setMark(mark).setIsPassedOn(peer == passesOn)).build()));
            }
        });
    }

    private Map.Entry<Long, Taker> passesOn() {
        Map.Entry<Long, Taker> found = takers.ceilingEntry(passesOnFrom);
        return found == null ? takers.firstEntry() : found;
    }

    private void replaceWhenSilent(long nowNs) {
        Map.Entry<Long, Taker> silent = passesOn();
        if (nowNs < silent.getValue().silentAtNs()) {
            return;
        }
        silent.getValue().underWay.clear();
        passesOnFrom = silent.getKey() + 1;
        passesOn().getValue().sent = NOTHING; // It may have been sent the mark, but did not pass it on.
    }

    // ---- answers ----

    /**
     * Says whether the operation was a mark, whose answer is not waited for any longer.
     *
     * @param isRefused another aggregator passes marks on from the next one on
     */
    boolean onAnswer(KeptUpdate.Carrier carrier, boolean isRefused) {
        Taker taker = takers.get(carrier.peer());
        if (taker == null || taker.underWay.remove(carrier.sequence()) == null) {
            return false;
        }
        if (isRefused && passesOn().getKey() == carrier.peer()) {
            passesOnFrom = carrier.peer() + 1;
        }
        return true;
    }

    /** Takes the nodes' own word on how much they know to be confirmed. */
    void learn(Result result) {
        List<NodeWatermark> nodes = result.hasMarked() ? result.getMarked().getWatermarksList()
                : result.getConfirmed().getWatermarksList();
        nodes.forEach(node -> known.merge(node.getNode(), node.getMark(), Math::max));
    }

    /** Says whether the node has said that it knows {@code timestamp} to be confirmed. */
    boolean knows(int node, long timestamp) {
        return known.getOrDefault(node, NOTHING) >= timestamp;
    }
}
