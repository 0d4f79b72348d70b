package org.daedalus.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes read from a file of known size and, once it has taken two seconds, shows how far it is. */
final class Progress extends FilterInputStream {
    private static final long FIRST_NS = 2_000_000_000L;
    private static final long TERMINAL_INTERVAL_NS = 100_000_000L;
    private static final long PLAIN_INTERVAL_NS = 5_000_000_000L;
    private static final int BAR_WIDTH = 40;

    private final String label;
    private final long size;
    private final boolean terminal = Boolean.getBoolean("daedalus.stderr.terminal");
    private long nextNs = System.nanoTime() + FIRST_NS;
    private long done;
    private boolean shown;

    /** Starts with {@code done} bytes of {@code size} behind it. */
    Progress(String label, long done, long size, InputStream in) {
        super(in);
        this.done = done;
        this.label = label;
        this.size = size;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        advance(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        advance(Math.max(0, count));
        return count;
    }

    /** Ends the bar's line. */
    void finish() {
        if (shown && terminal) {
            System.err.println();
        }
        shown = false;
        nextNs = Long.MAX_VALUE;
    }

    /** Leaves the file to its owner. */
    @Override
    public void close() {
        finish();
    }

    private void advance(int bytes) {
        done += bytes;
        long nowNs = System.nanoTime();
        if (nowNs < nextNs) {
            return;
        }
        nextNs = nowNs + (terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS);
        shown = true;
        int percent = size == 0 ? 100 : (int) Math.min(100, 100 * done / size);
        if (terminal) {
            int full = percent * BAR_WIDTH / 100;
            String bar = "#".repeat(full) + ".".repeat(BAR_WIDTH - full);
            System.err.print("\r" + label + " [" + bar + "] " + percent + " %");
            System.err.flush();
        } else {
            System.err.println(label + ": " + percent + " %");
        }
    }
}
