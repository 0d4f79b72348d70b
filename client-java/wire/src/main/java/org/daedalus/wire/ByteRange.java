package org.daedalus.wire;

/**
 * Some of the bytes of an array, which nobody changes any more.
 *
 * @param array may have other bytes around these; whoever keeps the range keeps all of them
 */
public record ByteRange(byte[] array, int offset, int size) {
    public static final ByteRange EMPTY = of(new byte[0]);

    public ByteRange {
        if (offset < 0 || size < 0 || size > array.length - offset) {
            throw new IllegalArgumentException(size + " bytes at " + offset + " of " + array.length);
        }
    }

    /** Returns the whole array. */
    public static ByteRange of(byte[] array) {
        return new ByteRange(array, 0, array.length);
    }

    public boolean isEmpty() {
        return size == 0;
    }

    int end() {
        return offset + size;
    }
}
