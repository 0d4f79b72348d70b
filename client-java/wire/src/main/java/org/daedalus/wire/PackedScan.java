package org.daedalus.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Walks over packed rows without making objects of their values: finds values, and recognises rows in which nothing is
 * wrong. What exactly is wrong with others is {@link PackedRows}' to say. Thread-safe.
 */
public final class PackedScan {
    /** {@link #countSound} returns this when it has found something wrong, or cannot tell. */
    public static final int NOT_SOUND = -1;

    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int SIZE_FIELD = 4;
    private static final int STRING = 0;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long LOW_BITS = 0x0101010101010101L;

    /** Holds for each column the bytes of a value, or STRING. */
    private final int[] sizes;
    private final boolean[] nullable;
    /** Holds for each column the most bytes of a string. */
    private final int[] lengths;
    private final ColumnType.Kind[] kinds;
    /** Holds for each column the bound below which a numeric's magnitude must stay. */
    private final long[] bounds;
    /** Says whether this class knows every column's layout. */
    private final boolean isKnown;
    private boolean hasInfinity;
    private final int nullBytes;

    /**
     * Makes a scan of rows with these columns.
     *
     * @param nullable by column: whether it may be NULL
     */
    public PackedScan(List<ColumnType> types, List<Boolean> nullable) {
        int count = types.size();
        this.sizes = new int[count];
        this.nullable = new boolean[count];
        this.lengths = new int[count];
        this.kinds = new ColumnType.Kind[count];
        this.bounds = new long[count];
        this.nullBytes = (count + 7) / 8;
        boolean known = true;
        for (int column = 0; column < count; column++) {
            ColumnType type = types.get(column);
            boolean isNumeric = type.kind() == ColumnType.Kind.NUMERIC;
            known &= !isNumeric || type.precision() > 0;
            this.nullable[column] = nullable.get(column);
            kinds[column] = type.kind();
            lengths[column] = type.isString() ? PackedValues.sizeMax(type) - 2 : 0;
            sizes[column] = type.isString() ? STRING : sizeOf(type);
            bounds[column] = isNumeric && sizes[column] == 8 ? powerOfTen(type.precision()) : 0;
        }
        this.isKnown = known;
    }

    private static int sizeOf(ColumnType type) {
        boolean isLong = type.kind() == ColumnType.Kind.NUMERIC
                && type.precision() > ColumnType.SHORT_NUMERIC_PRECISION_MAX;
        return isLong ? 16 : type.kind() == ColumnType.Kind.NUMERIC ? 8 : PackedValues.sizeMax(type);
    }

    private static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    /**
     * Returns the number of rows, when every one is well-formed, has no NULL where none may be, numerics within their
     * precision, dates within their range, and strings of ASCII that fit; {@link #NOT_SOUND} when a closer look is
     * needed.
     */
    public int countSound(byte[] rows) {
        hasInfinity = false;
        int count = 0;
        int at = 0;
        while (at < rows.length && isKnown) {
            int size = rows.length - at < SIZE_FIELD ? -1 : (int) INT.get(rows, at);
            int start = at + SIZE_FIELD;
            if (size < nullBytes || size > PackedRows.ROW_SIZE_MAX || size > rows.length - start
                    || !isSound(rows, start, start + size)) {
                return NOT_SOUND;
            }
            at = start + size;
            count++;
        }
        return isKnown ? count : NOT_SOUND;
    }

    /** Says whether a date or timestamp of the rows that were counted last is infinite. */
    public boolean hasInfinity() {
        return hasInfinity;
    }

    private boolean isInfinite(boolean isInfinite) {
        hasInfinity |= isInfinite;
        return isInfinite;
    }

    private boolean isSound(byte[] rows, int start, int end) {
        int at = start + nullBytes;
        for (int column = 0; column < sizes.length; column++) {
            if (isNull(rows, start, column)) {
                if (!nullable[column]) {
                    return false;
                }
                continue;
            }
            int next = next(rows, at, end, column);
            if (next > end || !isSoundValue(rows, at, next, column)) {
                return false;
            }
            at = next;
        }
        int rest = sizes.length % 8;
        boolean restIsZero = rest == 0 || (rows[start + nullBytes - 1] & 0xff) >>> rest == 0;
        return at == end && restIsZero;
    }

    private boolean isSoundValue(byte[] rows, int at, int next, int column) {
        return switch (kinds[column]) {
            case BOOL -> (rows[at] & ~1) == 0;
            case SMALLINT, INT, BIGINT, INTERVAL, UUID -> true;
            case REAL -> {
                int bits = (int) INT.get(rows, at);
                yield bits == PackedValues.FLOAT_NAN || !Float.isNaN(Float.intBitsToFloat(bits));
            }
            case DOUBLE -> {
                long bits = (long) LONG.get(rows, at);
                yield bits == PackedValues.DOUBLE_NAN || !Double.isNaN(Double.longBitsToDouble(bits));
            }
            case DATE -> {
                int days = (int) INT.get(rows, at);
                yield days >= PackedValues.DATE_MIN && days <= PackedValues.DATE_MAX
                        || isInfinite(PackedValues.isInfiniteDate(days));
            }
            case TIMESTAMP, TIMESTAMPTZ -> {
                long micros = (long) LONG.get(rows, at);
                yield micros >= PackedValues.TIMESTAMP_MIN && micros <= PackedValues.TIMESTAMP_MAX
                        || isInfinite(PackedValues.isInfiniteTimestamp(micros));
            }
            case TIME -> {
                long micros = (long) LONG.get(rows, at);
                yield micros >= 0 && micros <= PackedValues.TIME_MAX;
            }
            case NUMERIC -> isSoundNumeric(rows, at, column);
            case CHAR -> next - at - 2 <= lengths[column] && (next == at + 2 || rows[next - 1] != ' ')
                    && isAscii(rows, at + 2, next);
            case VARCHAR, TEXT -> next - at - 2 <= lengths[column] && isAscii(rows, at + 2, next);
        };
    }

    /** The long ones need a closer look; they are rare. */
    private boolean isSoundNumeric(byte[] rows, int at, int column) {
        long value = sizes[column] == 8 ? (long) LONG.get(rows, at) : Long.MAX_VALUE;
        return value < bounds[column] && value > -bounds[column];
    }

    private static boolean isNull(byte[] rows, int start, int column) {
        return (rows[start + column / 8] >> (column % 8) & 1) != 0;
    }

    /** Returns where the value at {@code at} ends; beyond {@code end} when it is cut short. */
    private int next(byte[] rows, int at, int end, int column) {
        if (sizes[column] != STRING) {
            return at + sizes[column];
        }
        return end - at < 2 ? end + 1 : at + 2 + Short.toUnsignedInt((short) SHORT.get(rows, at));
    }

    /** Says whether the bytes are ASCII without NUL. */
    static boolean isAscii(byte[] rows, int from, int to) {
        int at = from;
        long high = 0;
        for (; at + 8 <= to; at += 8) {
            high |= highBits((long) LONG.get(rows, at));
        }
        boolean hasNul = false;
        for (; at < to; at++) {
            high |= rows[at];
            hasNul |= rows[at] == 0;
        }
        return (high & HIGH_BITS) == 0 && !hasNul;
    }

    /** Says whether eight bytes are ASCII without NUL. */
    static boolean isAscii(long eight) {
        return (highBits(eight) & HIGH_BITS) == 0;
    }

    /** High bits are set of some byte if one is not ASCII, or zero, which borrows into its high bit. */
    private static long highBits(long eight) {
        return eight | eight - LOW_BITS;
    }

    /**
     * Returns the bytes of one value of a well-formed row.
     *
     * @param row where the row starts, with its size field
     * @return null for NULL
     */
    public byte[] value(byte[] rows, int row, int column) {
        int start = row + SIZE_FIELD;
        int end = start + (int) INT.get(rows, row);
        if (isNull(rows, start, column)) {
            return null;
        }
        int at = start + nullBytes;
        for (int before = 0; before < column; before++) {
            at = isNull(rows, start, before) ? at : next(rows, at, end, before);
        }
        return java.util.Arrays.copyOfRange(rows, at, next(rows, at, end, column));
    }
}
