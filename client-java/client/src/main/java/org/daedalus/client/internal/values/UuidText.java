package org.daedalus.client.internal.values;

import java.util.UUID;
import org.daedalus.client.ValueException;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.PackedValues;

/** UUIDs from text as PostgreSQL reads them: hyphens behind any four digits, all in braces or not. */
public final class UuidText {
    private static final int BYTES = 16;
    /** A UUID has so many characters, its four hyphens included. */
    private static final int SIZE = 36;

    private UuidText() {}

    public static UUID parse(String text) throws ValueException {
        boolean isBraced = text.startsWith("{");
        int at = isBraced ? 1 : 0;
        long[] halves = new long[2];
        for (int number = 1; number <= BYTES; number++) {
            int high = at + 1 < text.length() ? digit(text.charAt(at)) : -1;
            int low = at + 1 < text.length() ? digit(text.charAt(at + 1)) : -1;
            if (high < 0 || low < 0) {
                throw malformed(text);
            }
            int half = number <= BYTES / 2 ? 0 : 1;
            halves[half] = halves[half] << Byte.SIZE | high << 4 | low;
            at += 2;
            if (number % 2 == 0 && number < BYTES && at < text.length() && text.charAt(at) == '-') {
                at++;
            }
        }
        if (!text.substring(at).equals(isBraced ? "}" : "")) {
            throw malformed(text);
        }
        return new UUID(halves[0], halves[1]);
    }

    /** Packs one that is spelled as it is printed; false, and nothing is written, where it is not. */
    static boolean append(byte[] text, int from, int to, ByteWriter out) {
        if (to - from != SIZE) {
            return false;
        }
        long[] halves = new long[2];
        int digits = 0;
        for (int at = 0; at < SIZE; at++) {
            boolean isHyphen = at == 8 || at == 13 || at == 18 || at == 23;
            int digit = isHyphen ? 0 : digit((char) text[from + at]);
            if (isHyphen ? text[from + at] != '-' : digit < 0) {
                return false;
            }
            if (!isHyphen) {
                int half = digits++ < BYTES ? 0 : 1;
                halves[half] = halves[half] << 4 | digit;
            }
        }
        PackedValues.append(ColumnType.of(ColumnType.Kind.UUID), new UUID(halves[0], halves[1]), out);
        return true;
    }

    /** Returns the digit that an ASCII character stands for; negative when it is none. */
    private static int digit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    private static ValueException malformed(String text) {
        return new ValueException("22P02", "invalid input syntax for type uuid: \"" + text + "\"");
    }
}
