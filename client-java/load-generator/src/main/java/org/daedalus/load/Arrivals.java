package org.daedalus.load;

import java.util.SplittableRandom;

/**
 * When requests are to be sent: a Poisson process, fixed by its seed before the first request leaves, so that a slow
 * answer cannot delay what comes after it (no coordinated omission). Not thread-safe.
 */
public final class Arrivals {
    private final SplittableRandom random;
    private final double meanGapNs;
    private double nextNs;

    /**
     * Starts at time 0.
     *
     * @param perSecond mean rate, above 0
     */
    public Arrivals(double perSecond, long seed) {
        if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
            throw new IllegalArgumentException("a rate of " + perSecond + " a second; it must be above 0");
        }
        this.random = new SplittableRandom(seed);
        this.meanGapNs = 1e9 / perSecond;
    }

    /** The next request's time after the start, in nanoseconds; ascending. */
    public long next() {
        nextNs += -Math.log(1 - random.nextDouble()) * meanGapNs;
        return (long) nextNs;
    }
}
