package org.daedalus.client;

import java.time.Duration;
import java.util.List;
import org.daedalus.wire.v1.AggregatorStatus;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.SegmentStatus;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.WriterStatus;

/**
 * Describes how a cluster is, as one aggregator sees it. Counts are since the start of the process that counted.
 *
 * @param aggregator the one that answered
 * @param nodes all storage nodes, whether they answered or not
 */
public record ClusterStatus(String clusterId, Aggregator aggregator, List<Node> nodes, Writer writer) {
    /**
     * The aggregator.
     *
     * @param confirmed updates up to this timestamp are confirmed
     * @param writerReachable whether it can submit updates
     * @param timeZoneVersion of the database of time zones that its statements are bound with; empty: it has none
     */
    public record Aggregator(String name, String version, long processId, int clients, int queriesInFlight,
            int updatesInFlight, long queries, long updates, long confirmed, boolean writerReachable,
            String timeZoneVersion) {}

    /**
     * A storage node.
     *
     * @param problem why it is not reachable or not serving; empty when all is well
     * @param accepted updates up to this timestamp are its to apply
     * @param applied updates up to this timestamp are in all of its segments
     * @param segments empty when it did not answer
     */
    public record Node(int id, String endpoint, String version, boolean reachable, String problem, long accepted,
            long applied, long queries, long updates, List<Segment> segments) {
        /** Says whether the node serves. */
        public boolean isWell() {
            return reachable && problem.isEmpty();
        }

        /** Rows in all of its segments. */
        public long rows() {
            return segments.stream().mapToLong(Segment::rows).sum();
        }
    }

    /**
     * A memory segment of a node.
     *
     * @param rowsMax rows it has room for
     * @param cycleLast what its last cycle took, and {@code cycleMax} its longest
     */
    public record Segment(int partition, int segment, long rows, long rowsMax, long memoryBytes, long applied,
            long cycles, Duration cycleLast, Duration cycleMax) {}

    /**
     * The logical writer.
     *
     * @param problem why it does not number updates, or did not answer; empty when all is well
     * @param lastNumbered the timestamp of the last update that has a number
     * @param updatesKept updates that some node may still lack, of at most {@code updatesKeptMax}
     */
    public record Writer(String name, String problem, long epoch, long lastNumbered, long confirmedThrough,
            long updatesKept, long updatesKeptMax) {}

    /** Says whether the aggregator reaches the writer, and every storage node serves. */
    public boolean isWell() {
        return aggregator.writerReachable() && nodes.stream().allMatch(Node::isWell);
    }

    /** Rows in the table. */
    public long rows() {
        return nodes.stream().mapToLong(Node::rows).sum();
    }

    static ClusterStatus of(StatusReply reply) {
        return new ClusterStatus(reply.getClusterId(), of(reply.getAggregator()),
                reply.getNodesList().stream().map(ClusterStatus::of).toList(), of(reply.getWriter()));
    }

    private static Aggregator of(AggregatorStatus status) {
        return new Aggregator(status.getName(), status.getVersion(), status.getProcessId(), status.getClients(),
                status.getQueriesInFlight(), status.getUpdatesInFlight(), status.getQueriesTotal(),
                status.getUpdatesTotal(), status.getConfirmed(), status.getWriterReachable(),
                status.getTimeZoneVersion());
    }

    private static Node of(NodeStatus status) {
        return new Node(status.getNode(), status.getEndpoint(), status.getVersion(), status.getReachable(),
                status.getProblem(), status.getAccepted(), status.getApplied(), status.getQueriesTotal(),
                status.getUpdatesTotal(), status.getSegmentsList().stream().map(ClusterStatus::of).toList());
    }

    private static Segment of(SegmentStatus status) {
        return new Segment(status.getPartition(), status.getSegment(), status.getRows(), status.getRowsMax(),
                status.getMemoryBytes(), status.getApplied(), status.getCycles(),
                Duration.ofNanos(status.getCycleNsLast()), Duration.ofNanos(status.getCycleNsMax()));
    }

    private static Writer of(WriterStatus status) {
        return new Writer(status.getName(), status.getProblem(), status.getEpoch(), status.getLastNumbered(),
                status.getConfirmedThrough(), status.getUpdatesKept(), status.getUpdatesKeptMax());
    }
}
