package org.daedalus.wire;

import java.util.Arrays;

/** A growing little-endian byte buffer. Not thread-safe. */
public final class ByteWriter {
    private byte[] bytes;
    private int size;

    public ByteWriter(int sizeExpected) {
        bytes = new byte[Math.max(16, sizeExpected)];
    }

    public int size() {
        return size;
    }

    public void clear() {
        size = 0;
    }

    /** Forgets everything from {@code newSize} on. */
    public void truncate(int newSize) {
        if (newSize < 0 || newSize > size) {
            throw new IllegalArgumentException("size " + newSize + " of " + size);
        }
        size = newSize;
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    /** Writes the {@code width} low bytes of {@code value}, the lowest first. */
    public void putInteger(long value, int width) {
        reserve(width);
        setInteger(size - width, value, width);
    }

    /** Overwrites bytes written before. */
    public void setInteger(int offset, long value, int width) {
        for (int i = 0; i < width; i++) {
            bytes[offset + i] = (byte) (value >>> (8 * i));
        }
    }

    public void setBit(int offset, int bit) {
        bytes[offset + bit / 8] |= (byte) (1 << (bit % 8));
    }

    public void putZeros(int count) {
        reserve(count);
        Arrays.fill(bytes, size - count, size, (byte) 0);
    }

    public void put(byte[] source) {
        put(source, 0, source.length);
    }

    public void put(byte[] source, int offset, int length) {
        reserve(length);
        System.arraycopy(source, offset, bytes, size - length, length);
    }

    private void reserve(int count) {
        int wanted = Math.addExact(size, count);
        if (wanted > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(wanted, (int) Math.min(Integer.MAX_VALUE - 8L, 2L * bytes.length)));
        }
        size = wanted;
    }
}
