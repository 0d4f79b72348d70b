package org.daedalus.cli.load;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.daedalus.output.ProgressBar;

/** Shows how far a file of known size has been read. */
final class Progress extends FilterInputStream {
    /** Shows the progress; outlives the stream, which may be opened anew. */
    static final class Bar {
        private final ProgressBar bar;
        private long shown;

        Bar(String label, long size) {
            bar = new ProgressBar(label, size, ProgressBar.BYTES);
        }

        /** The file has been read up to here. */
        private void reach(long offset) {
            bar.advance(Math.max(0, offset - shown));
            shown = Math.max(shown, offset);
        }

        /** An earlier run has read it up to here. */
        private void skipTo(long offset) {
            bar.skip(Math.max(0, offset - shown));
            shown = Math.max(shown, offset);
        }

        /** Ends the bar's line. */
        void finish() {
            bar.finish();
        }
    }

    private final Bar bar;
    private long offset;

    Progress(InputStream in, Bar bar) {
        super(in);
        this.bar = bar;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        advance(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        int count = super.read(bytes, from, length);
        advance(Math.max(0, count));
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = super.skip(count);
        offset += skipped;
        bar.skipTo(offset);
        return skipped;
    }

    private void advance(long count) {
        offset += count;
        bar.reach(offset);
    }
}
