package org.daedalus.client.internal.protocol;

/**
 * Which moment a query may be answered at.
 *
 * @param prefixMin the answer includes every update up to here
 * @param at the answer is the table after exactly the updates 1 to here; {@link #ANY_MOMENT}: the cluster chooses
 * @param freshnessNs the aggregator has heard how much is confirmed within this time; 0: whenever
 */
public record ReadTerms(long prefixMin, long at, long freshnessNs) {
    /** The cluster chooses the moment. */
    public static final long ANY_MOMENT = -1;
    /** Asks for nothing. */
    public static final ReadTerms NONE = new ReadTerms(0, ANY_MOMENT, 0);

    /** Says whether the moment is given. */
    public boolean isAtAMoment() {
        return at != ANY_MOMENT;
    }

    /** Says whether only an aggregator that knows moments can take the query. */
    public boolean needsMoments() {
        return isAtAMoment() || freshnessNs != 0;
    }

    /**
     * Returns the terms of a query of somebody who has seen the updates up to {@code seen}: it goes not back, unless it
     * asks for an earlier moment itself.
     */
    ReadTerms notBefore(long seen) {
        boolean isHigher = Long.compareUnsigned(seen, prefixMin) > 0;
        return isHigher && !isAtAMoment() ? new ReadTerms(seen, at, freshnessNs) : this;
    }
}
