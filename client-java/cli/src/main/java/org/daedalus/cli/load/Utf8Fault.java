package org.daedalus.cli.load;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * The first byte of a record that cannot be UTF-8.
 *
 * @param line of the file, from 1
 * @param column its place in the line, in bytes, from 1
 * @param value the byte
 */
record Utf8Fault(long line, int column, int value) {
    private static final int CHARS = 1024;

    /** Returns the first one in a record that starts on {@code line}; null: there is none. */
    static Utf8Fault find(byte[] record, long line) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer bytes = ByteBuffer.wrap(record);
        CharBuffer chars = CharBuffer.allocate(CHARS);
        CoderResult result;
        do {
            result = decoder.decode(bytes, chars.clear(), true);
        } while (result.isOverflow());
        if (!result.isError()) {
            return null;
        }
        long lineOfFault = line;
        int lineStart = 0;
        for (int at = 0; at < bytes.position(); at++) {
            if (record[at] == '\n') {
                lineOfFault++;
                lineStart = at + 1;
            }
        }
        return new Utf8Fault(lineOfFault, bytes.position() - lineStart + 1, record[bytes.position()] & 0xff);
    }

    String describe() {
        return String.format("not valid UTF-8: 0x%02x at line %d, byte %d", value, line, column);
    }
}
