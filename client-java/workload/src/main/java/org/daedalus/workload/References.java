package org.daedalus.workload;

/** Booking references: a permutation of 30-bit numbers, written in 32 letters and digits that are hard to confuse. */
final class References {
    /** Most bookings that have references of their own. */
    static final long COUNT_MAX = 1L << 30;

    private static final char[] ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".toCharArray();
    private static final int LENGTH = 6;
    private static final int BITS_PER_CHARACTER = 5;
    private static final long MASK = COUNT_MAX - 1;

    private final long offset;

    References(long seed) {
        offset = Draws.mix(seed) & MASK;
    }

    String of(long number) {
        if (number < 0 || number >= COUNT_MAX) {
            throw new IllegalArgumentException("booking " + number + " has no reference: at most " + COUNT_MAX
                    + " bookings have one");
        }
        long code = (number * 0x2545f491L + offset) & MASK;
        code = ((code ^ (code >>> 15)) * 0x1b873593L) & MASK;
        code ^= code >>> 15;
        char[] text = new char[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            text[i] = ALPHABET[(int) (code >>> (i * BITS_PER_CHARACTER)) & (ALPHABET.length - 1)];
        }
        return new String(text);
    }
}
