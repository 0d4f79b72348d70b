package org.daedalus.cli.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** A text of any character set as UTF-8. Reading fails where the text is none of that character set. */
final class RecodedInput extends InputStream {
    private static final int SIZE = 1 << 16;
    /** Most bytes that UTF-8 takes for one char. */
    private static final int EXPANSION = 3;

    private final InputStream in;
    private final CharsetDecoder decoder;
    private final ByteBuffer read = ByteBuffer.allocate(SIZE).limit(0);
    private final CharBuffer chars = CharBuffer.allocate(SIZE);
    private final ByteBuffer out = ByteBuffer.allocate(EXPANSION * SIZE).limit(0);
    private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    private long decoded;
    private boolean atEnd;

    RecodedInput(InputStream in, Charset charset) {
        this.in = in;
        this.decoder = charset.newDecoder();
    }

    @Override
    public int read() throws IOException {
        return hasMore() ? out.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (length == 0 || !hasMore()) {
            return length == 0 ? 0 : -1;
        }
        int count = Math.min(length, out.remaining());
        out.get(bytes, from, count);
        return count;
    }

    private boolean hasMore() throws IOException {
        while (!out.hasRemaining()) {
            if (atEnd) {
                return false;
            }
            recode();
        }
        return true;
    }

    private void recode() throws IOException {
        read.compact();
        int count = in.read(read.array(), read.position(), read.remaining());
        atEnd = count < 0;
        read.position(read.position() + Math.max(0, count)).flip();
        int begun = read.position();
        CoderResult result = decoder.decode(read, chars, atEnd);
        decoded += read.position() - begun;
        chars.flip();
        out.clear();
        encoder.encode(chars, out, atEnd); // A pair of chars that is not whole yet stays.
        chars.compact();
        out.flip();
        if (result.isError() && !out.hasRemaining()) {
            throw new IOException(String.format("not %s: 0x%02x at byte %d", decoder.charset().name(),
                    read.get(read.position()) & 0xff, decoded + 1));
        }
        atEnd &= !result.isError(); // The text before the mistake is given out first.
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
