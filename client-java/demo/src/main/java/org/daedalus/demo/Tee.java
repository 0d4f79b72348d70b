package org.daedalus.demo;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Writes everything twice: to a terminal that stays open, and to a file. */
final class Tee extends FilterOutputStream {
    private final OutputStream terminal;

    Tee(OutputStream terminal, OutputStream file) {
        super(file);
        this.terminal = terminal;
    }

    @Override
    public void write(int value) throws IOException {
        terminal.write(value);
        out.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        terminal.write(bytes, offset, length);
        out.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        terminal.flush();
        out.flush();
    }
}
