package org.daedalus.wire;

import java.nio.charset.StandardCharsets;

/**
 * Texts of up to four ASCII characters, made once however often they come: codes and flags, which are most of what a
 * row has, take few values; longer texts take so many that looking for them costs more than making them. A text that
 * falls on the place of another drives it out.
 *
 * <p>Thread-safe: what stands in a place never changes, and where two threads write one, a text is made once more.
 */
final class ShortTexts {
    /** The most bytes of a text. */
    static final int SIZE_MAX = Integer.BYTES;
    static final int PLACES = 1 << 10;

    private static final int PLACE_SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(PLACES);
    /** Fibonacci hashing multiplies by 2^32 over the golden ratio. */
    private static final int SPREAD = 0x9e3779b9;

    private record Known(int bytes, String text) {}

    private static final Known[] KNOWN = new Known[PLACES];

    private ShortTexts() {}

    /**
     * Returns the text of these bytes, the first of them lowest.
     *
     * @param bytes ASCII without NUL; those beyond {@code size} are 0
     */
    static String of(int bytes, int size) {
        int place = bytes * SPREAD >>> PLACE_SHIFT;
        Known known = KNOWN[place];
        if (known == null || known.bytes != bytes) {
            known = new Known(bytes, make(bytes, size));
            KNOWN[place] = known;
        }
        return known.text;
    }

    private static String make(int bytes, int size) {
        byte[] text = new byte[size];
        for (int at = 0; at < size; at++) {
            text[at] = (byte) (bytes >>> Byte.SIZE * at);
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }
}
