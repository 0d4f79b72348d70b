package org.daedalus.writer;

import java.util.Map;
import java.util.TreeMap;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * Holds outcomes back until whoever reads sees them: an outcome is told when all updates up to it are confirmed and
 * every node with a part in it has said that it knows (docs/protocol.md, "Updates"). So they are told in the order of
 * their timestamps. Pure.
 */
final class UntoldOutcomes {
    /** While so many are untold no update gets a number; outcomes of updates under way come on top. */
    static final int COUNT_MAX = 8_192;

    private record Untold(SubmissionKey submission, WriteConfirmed confirmed) {}

    private final NumberedUpdates updates;
    private final Marks marks;
    private final LiveAggregators aggregators;
    private final TreeMap<Long, Untold> byTimestamp = new TreeMap<>();

    UntoldOutcomes(NumberedUpdates updates, Marks marks, LiveAggregators aggregators) {
        this.updates = updates;
        this.marks = marks;
        this.aggregators = aggregators;
    }

    boolean isFull() {
        return byTimestamp.size() >= COUNT_MAX;
    }

    void add(long timestamp, SubmissionKey submission, WriteConfirmed confirmed) {
        byTimestamp.put(timestamp, new Untold(submission, confirmed));
    }

    /** Tells those that may be told, up to the first one that may not. */
    void tell(WriterEffects effects) {
        for (Map.Entry<Long, Untold> first = byTimestamp.firstEntry();
                first != null && mayBeTold(first.getKey(), first.getValue().confirmed);
                first = byTimestamp.firstEntry()) {
            Untold outcome = byTimestamp.pollFirstEntry().getValue();
            effects.outcomes().add(new WriterEffects.SubmissionOutcome(outcome.submission, outcome.confirmed, null));
        }
    }

    /**
     * Tells somebody who asks again, now or later; the outcome comes once, to all who ask under this id. One from
     * before this process is held back as others are: nodes may have forgotten that they knew.
     *
     * @param failure the writer has failed with it, and will know nothing later; null: it has not
     */
    void repeat(SubmissionKey submission, KnownSubmissions.Known found, Error failure, WriterEffects effects) {
        boolean isWaiting = !found.isConfirmed() || byTimestamp.containsKey(found.timestamp);
        if (!isWaiting && mayBeTold(found.timestamp, found.confirmed())) {
            effects.outcomes().add(new WriterEffects.SubmissionOutcome(submission, found.confirmed(), null));
        } else if (failure != null) {
            effects.outcomes().add(unknown(submission, found.timestamp, failure));
        } else if (!isWaiting) {
            add(found.timestamp, submission, found.confirmed());
        }
    }

    /** Aggregators of an older build take no marks: where there are no others, nodes cannot be asked to know. */
    private boolean mayBeTold(long timestamp, WriteConfirmed confirmed) {
        if (timestamp > updates.confirmedThrough()) {
            return false;
        }
        if (marks.hasNoTakers()) {
            return !aggregators.isEmpty();
        }
        return confirmed.getOutcomesList().stream().allMatch(part -> marks.knows(part.getNode(), timestamp));
    }

    /** The writer has failed: whoever waits for an outcome is told, by timestamp, that nobody knows it. */
    void giveUp(Error failure, WriterEffects effects) {
        TreeMap<Long, SubmissionKey> open = new TreeMap<>();
        byTimestamp.forEach((timestamp, untold) -> open.put(timestamp, untold.submission));
        byTimestamp.clear();
        updates.forEachUnconfirmed((timestamp, update) -> open.put(timestamp, update.submission));
        open.forEach((timestamp, submission) -> effects.outcomes().add(unknown(submission, timestamp, failure)));
    }

    private static WriterEffects.SubmissionOutcome unknown(SubmissionKey submission, long timestamp, Error failure) {
        return new WriterEffects.SubmissionOutcome(submission, null, Errors.unknown(Errors.OUTCOME_UNKNOWN, "update "
                + timestamp + " may or may not have taken effect: " + failure.getMessage(), failure.getHint()));
    }
}
