package org.daedalus.client.internal.protocol;

import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;

/** Decides which refused requests are sent again, and after how long: later and later. */
final class Repetition {
    private static final long DELAY_MIN_NS = 10_000_000L;
    private static final long DELAY_MAX_NS = 1_000_000_000L;
    private static final int DOUBLINGS_MAX = 10;

    private Repetition() {}

    /**
     * Says whether the request may succeed when it is sent again: it was refused because something is full (SQLSTATE
     * class 53) or because the aggregator shuts down, and nothing happened. An update that may have taken effect before
     * also waits for the writer to come back, since only the writer can tell.
     */
    static boolean isWorthwhile(Request request, DaedalusException failure) {
        return failure.category() == Category.RETRY && !request.answered
                && (ClientErrors.isFull(failure) || failure.sqlState().equals("57P01")
                        || (request.lostEver && failure.sqlState().equals("57P03")));
    }

    /** Returns how long the request waits; the refusal may ask for more than the least. */
    static long delayNs(Request request, DaedalusException failure) {
        long doublings = Math.min(request.refusals, DOUBLINGS_MAX);
        long hintNs = Math.max(DELAY_MIN_NS, failure.retryAfter().toNanos());
        return Math.min(DELAY_MAX_NS, hintNs << doublings);
    }
}
