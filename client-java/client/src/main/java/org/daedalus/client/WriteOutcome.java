package org.daedalus.client;

import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.RefusedRows;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * The effect of a confirmed update. It has been applied on every responsible node, and every query sent from now on
 * sees it. An outcome with refused rows ends in a {@link RefusedRowsException}, which carries it.
 *
 * @param timestamp its place in the total order; give it to {@code atLeast} to read at least this far
 * @param partitions the effect, partition by partition
 * @param countsForgotten true when the update was confirmed before and its counts have been forgotten since
 * @param returned what RETURNING gives
 */
public record WriteOutcome(long timestamp, List<Partition> partitions, boolean countsForgotten, ReturnedRows returned)
        implements Outcome, Serializable {
    /** Makes the outcome of a statement without RETURNING. */
    public WriteOutcome(long timestamp, List<Partition> partitions, boolean countsForgotten) {
        this(timestamp, partitions, countsForgotten, ReturnedRows.NONE);
    }

    /**
     * Says why a row stayed as it was.
     *
     * @param text the reason in words
     * @param sqlState with which PostgreSQL would have refused the whole update
     */
    public record Refusal(String text, String sqlState) implements Comparable<Refusal>, Serializable {
        /** The segment is full. */
        public static final Refusal NO_ROOM = new Refusal("no room", "53100");
        /** A value that was computed for the row, {@code column + constant} say, left a type's range. */
        public static final Refusal OVERFLOW = new Refusal("overflow", "22003");
        /** A reason this library does not know. */
        public static final Refusal OTHER = new Refusal("other", "XX000");

        /** SET or WHERE failed on the row. */
        public static Refusal failed(String sqlState) {
            return new Refusal("failed with " + sqlState, sqlState);
        }

        /** Want of room first, then overflow; what is not known last. */
        @Override
        public int compareTo(Refusal other) {
            return Comparator.comparingInt(Refusal::rank).thenComparing(Refusal::sqlState).compare(this, other);
        }

        private int rank() {
            if (equals(NO_ROOM)) {
                return 0;
            }
            if (equals(OVERFLOW)) {
                return 1;
            }
            return equals(OTHER) ? 3 : 2;
        }
    }

    /**
     * The effect on one partition.
     *
     * @param matched rows the update's conditions selected, or rows to insert
     * @param applied rows changed
     * @param refused rows left as they were, by reason
     */
    public record Partition(int node, int partition, long matched, long applied, Map<Refusal, Long> refused)
            implements Serializable {
        /** Rows refused, for whatever reason. */
        public long refusedRows() {
            return refused.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    static WriteOutcome of(WriteConfirmed confirmed) {
        return new WriteOutcome(confirmed.getTimestamp(),
                confirmed.getOutcomesList().stream().map(WriteOutcome::toPartition).toList(),
                confirmed.getOutcomeForgotten(), ReturnedRows.of(confirmed.getReturned()));
    }

    private static Partition toPartition(PartitionOutcome outcome) {
        Map<Refusal, Long> refused = new TreeMap<>();
        for (RefusedRows rows : outcome.getRefusedList()) {
            Refusal reason = switch (rows.getReason()) {
                case ROW_REFUSAL_NO_ROOM -> Refusal.NO_ROOM;
                case ROW_REFUSAL_OVERFLOW -> Refusal.OVERFLOW;
                case ROW_REFUSAL_FAILED -> Refusal.failed(rows.getSqlstate());
                default -> Refusal.OTHER;
            };
            if (rows.getRowCount() != 0) {
                refused.merge(reason, rows.getRowCount(), Long::sum);
            }
        }
        return new Partition(outcome.getNode(), outcome.getPartition(), outcome.getRowsMatched(),
                outcome.getRowsApplied(), Map.copyOf(refused));
    }

    /** Rows matched in all partitions. */
    public long matched() {
        return partitions.stream().mapToLong(Partition::matched).sum();
    }

    /** Rows applied in all partitions. */
    public long applied() {
        return partitions.stream().mapToLong(Partition::applied).sum();
    }

    /** Rows refused in all partitions, by reason, in their order; no reason without rows. */
    public Map<Refusal, Long> refused() {
        Map<Refusal, Long> total = new TreeMap<>();
        for (Partition partition : partitions) {
            partition.refused.forEach((reason, rows) -> total.merge(reason, rows, Long::sum));
        }
        return total;
    }

    /** Rows refused in all partitions, for whatever reason. */
    public long refusedRows() {
        return partitions.stream().mapToLong(Partition::refusedRows).sum();
    }
}
