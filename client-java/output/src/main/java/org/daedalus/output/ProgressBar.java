package org.daedalus.output;

/** Once something has taken two seconds, shows on standard error how far it is. One thread at a time. */
public final class ProgressBar {
    private static final long FIRST_NS = 2_000_000_000L;
    private static final long TERMINAL_INTERVAL_NS = 100_000_000L;
    private static final long PLAIN_INTERVAL_NS = 5_000_000_000L;
    private static final int WIDTH = 40;

    private final String label;
    private final long size;
    private final boolean terminal = Boolean.getBoolean("daedalus.stderr.terminal");
    private long nextNs = System.nanoTime() + FIRST_NS;
    private long done;
    private boolean shown;

    /**
     * Shows nothing yet.
     *
     * @param size what {@link #advance} adds up to in the end
     */
    public ProgressBar(String label, long size) {
        this.label = label;
        this.size = size;
    }

    /** So much more is done. Cheap enough for every row. */
    public void advance(long amount) {
        done += amount;
        long nowNs = System.nanoTime();
        if (nowNs < nextNs) {
            return;
        }
        nextNs = nowNs + (terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS);
        shown = true;
        int percent = size == 0 ? 100 : (int) Math.min(100, 100 * done / size);
        if (terminal) {
            int full = percent * WIDTH / 100;
            String bar = "#".repeat(full) + ".".repeat(WIDTH - full);
            System.err.print("\r" + label + " [" + bar + "] " + percent + " %");
            System.err.flush();
        } else {
            System.err.println(label + ": " + percent + " %");
        }
    }

    /** Ends the bar's line. */
    public void finish() {
        if (shown && terminal) {
            System.err.println();
        }
        shown = false;
        nextNs = Long.MAX_VALUE;
    }
}
