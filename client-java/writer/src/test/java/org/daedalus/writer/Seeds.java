package org.daedalus.writer;

/** Random tests begin here: {@code DAEDALUS_SEED} repeats a run that failed. */
final class Seeds {
    private Seeds() {}

    /** Prints the seed, so that a failure can be repeated. */
    static long next() {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        return seed;
    }
}
