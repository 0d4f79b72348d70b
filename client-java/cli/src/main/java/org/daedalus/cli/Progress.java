package org.daedalus.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.daedalus.output.ProgressBar;

/** Shows how far a file of known size has been read. */
final class Progress extends FilterInputStream {
    private final ProgressBar bar;

    Progress(String label, long size, InputStream in) {
        super(in);
        this.bar = new ProgressBar(label, size);
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        bar.advance(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        bar.advance(Math.max(0, count));
        return count;
    }

    /** Ends the bar's line. */
    void finish() {
        bar.finish();
    }

    /** Leaves the file to its owner. */
    @Override
    public void close() {
        finish();
    }
}
