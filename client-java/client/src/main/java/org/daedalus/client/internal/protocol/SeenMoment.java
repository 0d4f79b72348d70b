package org.daedalus.client.internal.protocol;

import org.daedalus.wire.ArrivedResult;

/**
 * How much of a cluster's updates this client has seen: up to the moment of its last answer of which rows have come, or
 * to its last confirmed update, the later of both. Its next query demands that, whichever aggregator gets it, so that
 * reads never go back (docs/protocol.md, "Marks and moments"). Pure.
 */
final class SeenMoment {
    private long timestamp;

    long timestamp() {
        return timestamp;
    }

    /** Takes the first rows of an answer, which may say its moment long before its end does. */
    void learnOfRows(ArrivedResult first) {
        see(first.moment());
    }

    /** Takes the last result of a request. */
    void learn(ArrivedResult last) {
        see(last.end() != null ? last.end().getMoment()
                : last.message().hasConfirmed() ? last.message().getConfirmed().getTimestamp() : 0);
    }

    /** Timestamps of another cluster mean nothing. */
    void forget() {
        timestamp = 0;
    }

    private void see(long moment) {
        timestamp = Long.compareUnsigned(moment, timestamp) > 0 ? moment : timestamp;
    }
}
