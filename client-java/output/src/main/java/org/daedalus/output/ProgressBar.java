package org.daedalus.output;

import java.util.Locale;
import java.util.function.LongSupplier;

/** Shows on standard error how far something is, once it has taken two seconds. One thread at a time. */
public final class ProgressBar {
    /** The unit of what is counted in bytes: rates are in MB/s. */
    public static final String BYTES = "bytes";

    private static final long FIRST_NS = 2_000_000_000L;
    private static final long TERMINAL_INTERVAL_NS = 100_000_000L;
    private static final long PLAIN_INTERVAL_NS = 5_000_000_000L;
    private static final int WIDTH = 40;
    private static final double NS_PER_SECOND = 1e9;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int SECONDS_PER_HOUR = 3_600;

    private final String label;
    private final long size;
    private final String unit;
    private final LongSupplier clockNs;
    private final boolean terminal = Boolean.getBoolean("daedalus.stderr.terminal");
    private final long startNs;
    private long nextNs;
    private long done;
    /** Part of what is done that took no time. */
    private long skipped;
    private boolean shown;

    /**
     * Shows nothing yet.
     *
     * @param size what {@link #advance} adds up to in the end
     * @param unit of the size, for the rate: {@link #BYTES}, or for example rows
     */
    public ProgressBar(String label, long size, String unit) {
        this(label, size, unit, System::nanoTime);
    }

    ProgressBar(String label, long size, String unit, LongSupplier clockNs) {
        this.label = label;
        this.size = size;
        this.unit = unit;
        this.clockNs = clockNs;
        this.startNs = clockNs.getAsLong();
        this.nextNs = startNs + FIRST_NS;
    }

    /** So much was done before; it counts in no rate. */
    public void skip(long amount) {
        skipped += amount;
        advance(amount);
    }

    /** So much more is done. Cheap enough for every row. */
    public void advance(long amount) {
        done += amount;
        long nowNs = clockNs.getAsLong();
        if (nowNs < nextNs) {
            return;
        }
        nextNs = nowNs + (terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS);
        int percent = size == 0 ? 100 : (int) Math.min(100, 100 * done / size);
        String pace = pace(nowNs);
        if (terminal) {
            int full = percent * WIDTH / 100;
            String bar = "#".repeat(full) + ".".repeat(WIDTH - full);
            // The last sequence wipes out the rest of a longer line.
            System.err.print("\r" + label + " [" + bar + "] " + percent + " %" + pace + "\u001b[K");
            System.err.flush();
        } else {
            System.err.println(label + ": " + percent + " %" + pace);
        }
        shown = true;
    }

    /** Says how fast it goes, and when it will be through if it goes on like that. */
    private String pace(long nowNs) {
        double perSecond = (done - skipped) / ((nowNs - startNs) / NS_PER_SECOND);
        if (perSecond <= 0) {
            return "";
        }
        String rate = unit.equals(BYTES) ? String.format(Locale.ROOT, "%.1f MB/s", perSecond / 1e6)
                : String.format(Locale.ROOT, "%,.0f %s/s", perSecond, unit);
        return ", " + rate + ", " + duration(Math.round(Math.max(0, size - done) / perSecond)) + " left";
    }

    private static String duration(long seconds) {
        if (seconds < SECONDS_PER_MINUTE) {
            return seconds + " s";
        }
        return seconds < SECONDS_PER_HOUR
                ? String.format(Locale.ROOT, "%d:%02d min", seconds / SECONDS_PER_MINUTE, seconds % SECONDS_PER_MINUTE)
                : String.format(Locale.ROOT, "%d:%02d h", seconds / SECONDS_PER_HOUR,
                        seconds % SECONDS_PER_HOUR / SECONDS_PER_MINUTE);
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
