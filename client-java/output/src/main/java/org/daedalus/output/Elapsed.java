package org.daedalus.output;

/** Measures how long a statement has taken: from when it was sent to when its answer was complete. */
public final class Elapsed {
    private static final long RUNNING = Long.MIN_VALUE;

    private final long startNs = System.nanoTime();
    private volatile long endNs = RUNNING;

    /** The answer is complete, unless it was before. */
    public void stop() {
        if (endNs == RUNNING) {
            endNs = System.nanoTime();
        }
    }

    /** Milliseconds, with microseconds. */
    public String ms() {
        stop();
        long micros = (endNs - startNs) / 1_000;
        return micros / 1_000 + "." + String.format("%03d", micros % 1_000);
    }
}
