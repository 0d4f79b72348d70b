package org.daedalus.wire;

/** The seed of a random test: taken from DAEDALUS_SEED when set, and printed. */
final class Seeds {
    private Seeds() {}

    static long seed() {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        return seed;
    }
}
