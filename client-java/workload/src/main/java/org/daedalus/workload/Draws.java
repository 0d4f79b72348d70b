package org.daedalus.workload;

/**
 * A stream of random numbers (SplitMix64) that can be set to any key at no cost, so that every booking has a stream of
 * its own. Written out because the bytes of a data set must not change with the Java release.
 */
final class Draws {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;
    private static final double UNIT = 0x1.0p-53;

    private long state;

    /** Starts the stream that belongs to {@code key} under {@code seed}. */
    void start(long seed, long key) {
        state = mix(mix(seed + GAMMA) ^ (key * 0xd1342543de82ef95L));
    }

    long next() {
        state += GAMMA;
        return mix(state);
    }

    /**
     * Draws a number from 0 (included) to {@code bound}, at most 2^31; the error of the scaling is below one in two
     * billion.
     */
    int below(int bound) {
        return (int) ((next() >>> 32) * bound >>> 32);
    }

    /** Both ends included. */
    int between(int low, int high) {
        return low + below(high - low + 1);
    }

    /** Draws a number from 0 (included) to 1. */
    double unit() {
        return (next() >>> 11) * UNIT;
    }

    boolean chance(double probability) {
        return unit() < probability;
    }

    /** Exponentially distributed. */
    double exponential(double mean) {
        return -mean * Math.log(1 - unit());
    }

    /** Small indices often: the density falls with the root of the index. */
    int skewed(int bound) {
        double unit = unit();
        return (int) (unit * unit * bound);
    }

    /** Returns an index, as often as its weight says. */
    int weighted(int... weights) {
        int total = 0;
        for (int weight : weights) {
            total += weight;
        }
        int at = below(total);
        int index = 0;
        while (at >= weights[index]) {
            at -= weights[index++];
        }
        return index;
    }

    static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
