package org.daedalus.load;

import java.util.SplittableRandom;

/**
 * When requests are to be sent: a Poisson process, fixed by its seed before the first request leaves, so that a slow
 * answer cannot delay what comes after it (no coordinated omission). Not thread-safe.
 */
public final class Arrivals {
    /** More than one thread can send; what is not sent at this rate can still be counted in time. */
    public static final double PER_SECOND_MAX = 1_000_000;

    private final SplittableRandom random;
    private final double meanGapNs;
    private double nextNs;

    /**
     * Starts at time 0.
     *
     * @param perSecond mean rate, above 0 and at most {@link #PER_SECOND_MAX}
     */
    public Arrivals(double perSecond, long seed) {
        if (!(perSecond > 0 && perSecond <= PER_SECOND_MAX)) {
            throw new IllegalArgumentException(String.format(
                    "a rate of %s a second; it must be above 0 and at most %,.0f", perSecond, PER_SECOND_MAX));
        }
        this.random = new SplittableRandom(seed);
        this.meanGapNs = 1e9 / perSecond;
    }

    /** Returns the next request's time after the start, in nanoseconds; ascending. */
    public long next() {
        nextNs += -Math.log(1 - random.nextDouble()) * meanGapNs;
        return (long) nextNs;
    }
}
