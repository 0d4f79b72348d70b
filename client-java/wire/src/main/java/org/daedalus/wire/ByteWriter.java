package org.daedalus.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing little-endian byte buffer. Not thread-safe. */
public final class ByteWriter {
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

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

    /** Returns the bytes written, in place, up to {@link #size()}; the next write may move them. */
    public byte[] array() {
        return bytes;
    }

    /** Writes the {@code width} low bytes of {@code value}, the lowest first; the width is 1, 2, 4 or 8. */
    public void putInteger(long value, int width) {
        reserve(width);
        setInteger(size - width, value, width);
    }

    /** Overwrites bytes written before. */
    public void setInteger(int offset, long value, int width) {
        switch (width) {
            case 1 -> bytes[offset] = (byte) value;
            case 2 -> SHORT.set(bytes, offset, (short) value);
            case 4 -> INT.set(bytes, offset, (int) value);
            case 8 -> LONG.set(bytes, offset, value);
            default -> throw new IllegalArgumentException("width " + width);
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
