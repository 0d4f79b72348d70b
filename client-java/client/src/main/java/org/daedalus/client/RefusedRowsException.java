package org.daedalus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.daedalus.client.WriteOutcome.Refusal;
import org.daedalus.wire.v1.Error;

/**
 * An update that has taken effect, but not on every row it was meant for: some rows were refused for want of room or
 * for what they hold, and stayed as they were. {@link #outcome()} says how many, why and in which partition.
 *
 * <p>The update has its place in the total order, and its other rows have been changed: repeating it would change
 * those once more. Hence it is never {@link Category#RETRY}, and the client never repeats it. The SQLSTATE is the one
 * with which PostgreSQL, which applies all rows or none, would have refused the whole: 53100 where there was no room
 * for some row, else 22003 where a value would have left its column's range, else that of what failed.
 */
public final class RefusedRowsException extends DaedalusException {
    private static final long serialVersionUID = 1L;

    /** The most partitions that the detail names; {@link #outcome()} has all. */
    private static final int PARTITIONS_NAMED_MAX = 8;

    private final WriteOutcome outcome;

    RefusedRowsException(WriteOutcome outcome) {
        super(Category.REJECTED, errorOf(outcome), List.of());
        this.outcome = outcome;
    }

    /** Returns what the update did. */
    public WriteOutcome outcome() {
        return outcome;
    }

    @Override
    RefusedRowsException rethrown() {
        RefusedRowsException copy = new RefusedRowsException(outcome);
        copy.initCause(this);
        return copy;
    }

    private static Error errorOf(WriteOutcome outcome) {
        Set<Refusal> reasons = outcome.refused().keySet();
        String applied = (outcome.countsForgotten() ? "at least " : "") + rows(outcome.applied()) + " applied, ";
        String message = applied + outcome.refusedRows() + " refused (" + reasons(outcome.refused())
                + "): the update has taken effect under timestamp " + outcome.timestamp()
                + " and is not to be repeated";
        String detail = reasons.stream().map(RefusedRowsException::meaning).collect(Collectors.joining(" "));
        return Error.newBuilder().setSqlstate(reasons.iterator().next().sqlState()).setMessage(message)
                .setDetail(detail + " " + places(outcome)).setHint(hint(reasons)).build();
    }

    private static String rows(long count) {
        return count + (count == 1 ? " row" : " rows");
    }

    /** The reason where there is one, otherwise each with its rows. */
    private static String reasons(Map<Refusal, Long> refused) {
        return refused.size() == 1 ? refused.keySet().iterator().next().text()
                : refused.entrySet().stream().map(each -> each.getValue() + " " + each.getKey().text())
                        .collect(Collectors.joining(", "));
    }

    private static String meaning(Refusal reason) {
        if (reason.equals(Refusal.NO_ROOM)) {
            return "Rows without room are not in the table: their segment is full.";
        }
        if (reason.equals(Refusal.OVERFLOW)) {
            return "Rows that overflow stayed as they were: what was computed for them is out of range.";
        }
        return reason.equals(Refusal.OTHER)
                ? "Rows stayed as they were for a reason that this client does not know."
                : "Rows that SET or WHERE " + reason.text() + " on stayed as they were.";
    }

    private static String places(WriteOutcome outcome) {
        List<String> places = new ArrayList<>();
        for (WriteOutcome.Partition each : outcome.partitions()) {
            if (each.refusedRows() > 0) {
                places.add("node " + each.node() + ", partition " + each.partition() + ": "
                        + rows(each.applied()) + " applied, " + each.refusedRows() + " refused");
            }
        }
        int more = places.size() - PARTITIONS_NAMED_MAX;
        return String.join("; ", places.subList(0, Math.min(places.size(), PARTITIONS_NAMED_MAX)))
                + (more > 0 ? "; and " + more + " more" : "");
    }

    private static String hint(Set<Refusal> reasons) {
        return reasons.contains(Refusal.NO_ROOM)
                ? "delete rows or start the cluster afresh with larger segments, then insert only what is missing"
                : "find the rows that were refused and change them by a statement that leaves the others alone";
    }
}
