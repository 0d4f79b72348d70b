package org.daedalus.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.UUID;

/**
 * Reads packed values one after the other, up to an end that can be moved. What is not in the one form that a value
 * has is malformed. Not thread-safe.
 */
final class PackedReader {
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long BLANKS = 0x2020202020202020L;

    private final byte[] bytes;
    private final long dateMin;
    private final long timestampMin;
    private int at;
    private int end;

    private PackedReader(ByteRange range, long dateMin, long timestampMin) {
        this.bytes = range.array();
        this.dateMin = dateMin;
        this.timestampMin = timestampMin;
        this.at = range.offset();
        this.end = range.end();
    }

    /** A reader at the start of {@code range}, whose end is its end, of values that columns hold. */
    PackedReader(ByteRange range) {
        this(range, PackedValues.DATE_MIN, PackedValues.TIMESTAMP_MIN);
    }

    /** Reads values that have been computed, whose timestamps may lie before Christ. */
    static PackedReader ofComputed(ByteRange range) {
        return new PackedReader(range, PackedValues.COMPUTED_DATE_MIN, PackedValues.COMPUTED_TIMESTAMP_MIN);
    }

    /** Returns the place of the next value in the array. */
    int at() {
        return at;
    }

    int remaining() {
        return end - at;
    }

    void skip(int size) {
        at += size;
    }

    /** Reads nothing from {@code newEnd} on, which must lie within the range. */
    void endAt(int newEnd) {
        end = newEnd;
    }

    /** Returns a byte anywhere in the array. */
    byte byteAt(int position) {
        return bytes[position];
    }

    /** Four bytes, which are there. */
    int readInt() {
        int from = at;
        at = from + Integer.BYTES;
        return (int) INT.get(bytes, from);
    }

    /** Returns one value, in its natural class. A char(n) is padded with blanks to n bytes, as PostgreSQL shows it. */
    Object read(ColumnType type) throws WireException {
        return switch (type.kind()) {
            case BOOL -> readBool(type);
            case SMALLINT -> (short) SHORT.get(bytes, take(Short.BYTES, type));
            case INT -> (int) INT.get(bytes, take(Integer.BYTES, type));
            case BIGINT -> (long) LONG.get(bytes, take(Long.BYTES, type));
            case REAL -> readFloat(type);
            case DOUBLE -> readDouble(type);
            case NUMERIC -> readNumeric(type);
            case DATE -> readDate(type);
            case TIMESTAMP -> PackedValues.ofMicros(readMicros(type));
            case TIMESTAMPTZ -> PackedValues.instantOfMicros(readMicros(type));
            case TIME -> PackedValues.timeOfMicros(within(type, 0, (long) LONG.get(bytes, take(Long.BYTES, type)),
                    PackedValues.TIME_MAX));
            case UUID -> readUuid(type);
            case CHAR, VARCHAR, TEXT -> readString(type);
            case INTERVAL -> readInterval(type);
        };
    }

    /** Returns the place of the next {@code size} bytes, and goes on reading behind them. */
    private int take(int size, ColumnType type) throws WireException {
        int from = at;
        if (size > end - from) {
            throw new WireException("packed " + type + " is cut short");
        }
        at = from + size;
        return from;
    }

    private UUID readUuid(ColumnType type) throws WireException {
        int from = take(PackedValues.UUID_SIZE, type);
        return new UUID((long) LONG.get(bytes, from + Long.BYTES) ^ Long.MIN_VALUE, (long) LONG.get(bytes, from));
    }

    private Boolean readBool(ColumnType type) throws WireException {
        byte value = bytes[take(1, type)];
        if (value != 0 && value != 1) {
            throw new WireException("packed boolean " + value);
        }
        return value == 1;
    }

    private Float readFloat(ColumnType type) throws WireException {
        int bits = (int) INT.get(bytes, take(Float.BYTES, type));
        float value = Float.intBitsToFloat(bits);
        if (bits != PackedValues.floatBits(value)) {
            throw new WireException("packed real is a NaN that is not the quiet one");
        }
        return value;
    }

    private Double readDouble(ColumnType type) throws WireException {
        long bits = (long) LONG.get(bytes, take(Double.BYTES, type));
        double value = Double.longBitsToDouble(bits);
        if (bits != PackedValues.doubleBits(value)) {
            throw new WireException("packed double precision is a NaN that is not the quiet one");
        }
        return value;
    }

    private BigDecimal readNumeric(ColumnType type) throws WireException {
        if (type.precision() == 0) {
            return readUnbounded(type);
        }
        if (type.precision() <= ColumnType.SHORT_NUMERIC_PRECISION_MAX) {
            return BigDecimal.valueOf((long) LONG.get(bytes, take(Long.BYTES, type)), type.scale());
        }
        int from = take(PackedValues.LONG_NUMERIC_SIZE, type);
        byte[] bigEndian = new byte[PackedValues.LONG_NUMERIC_SIZE];
        for (int i = 0; i < bigEndian.length; i++) {
            bigEndian[bigEndian.length - 1 - i] = bytes[from + i];
        }
        return new BigDecimal(new BigInteger(bigEndian), type.scale());
    }

    private BigDecimal readUnbounded(ColumnType type) throws WireException {
        int size = Byte.toUnsignedInt(bytes[take(1, type)]);
        short scale = (short) SHORT.get(bytes, take(Short.BYTES, type));
        if (size == 0) {
            throw new WireException("packed numeric without digits");
        }
        if (scale < 0 || scale > PackedValues.SCALE_MAX) {
            throw new WireException("packed numeric with a scale of " + scale);
        }
        BigInteger unscaled = new BigInteger(bytes, take(size, type), size);
        if (unscaled.toByteArray().length != size) {
            throw new WireException("packed numeric that is not in its shortest form");
        }
        return new BigDecimal(unscaled, scale);
    }

    private LocalDate readDate(ColumnType type) throws WireException {
        int day = (int) INT.get(bytes, take(Integer.BYTES, type));
        if (!PackedValues.isInfiniteDate(day)) {
            within(type, dateMin, day, PackedValues.DATE_MAX);
        }
        return PackedValues.dateOfDays(day);
    }

    private long readMicros(ColumnType type) throws WireException {
        long micros = (long) LONG.get(bytes, take(Long.BYTES, type));
        return PackedValues.isInfiniteTimestamp(micros)
                ? micros : within(type, timestampMin, micros, PackedValues.TIMESTAMP_MAX);
    }

    private Interval readInterval(ColumnType type) throws WireException {
        int from = take(PackedValues.INTERVAL_SIZE, type);
        int days = from + Long.BYTES;
        return new Interval((int) INT.get(bytes, days + Integer.BYTES), (int) INT.get(bytes, days),
                (long) LONG.get(bytes, from));
    }

    private static long within(ColumnType type, long least, long value, long greatest) throws WireException {
        if (value < least || value > greatest) {
            throw new WireException("packed " + type + " is out of range");
        }
        return value;
    }

    private String readString(ColumnType type) throws WireException {
        int size = Short.toUnsignedInt((short) SHORT.get(bytes, take(Short.BYTES, type)));
        if (size > remaining()) {
            throw new WireException("packed string is cut short");
        }
        if (size > (type.length() == 0 ? PackedValues.STRING_SIZE_MAX : type.length())) {
            throw new WireException("packed string of " + size + " bytes does not fit " + type);
        }
        int from = take(size, type);
        boolean isChar = type.kind() == ColumnType.Kind.CHAR;
        if (!isAscii(from, size) || isChar && size > 0 && bytes[from + size - 1] == ' ') {
            return readOtherText(type, from, size);
        }
        int length = isChar ? Math.max(size, type.length()) : size;
        if (length <= ShortTexts.SIZE_MAX) {
            long text = lowBytes(size) & eightBytes(from) | lowBytes(length) & ~lowBytes(size) & BLANKS;
            return ShortTexts.of((int) text, length);
        }
        return length == size ? new String(bytes, from, size, StandardCharsets.ISO_8859_1) : padded(from, size, length);
    }

    /** Says whether the bytes are ASCII without NUL. */
    private boolean isAscii(int from, int size) {
        int wordsEnd = from + (size & -Long.BYTES);
        int rest = size % Long.BYTES;
        return PackedScan.isAscii(lowBytes(rest) & eightBytes(wordsEnd) | ~lowBytes(rest) & BLANKS)
                && (size < Long.BYTES || PackedScan.isAscii(bytes, from, wordsEnd));
    }

    /** Returns the bytes from {@code from} on, as far as there are any. */
    private long eightBytes(int from) {
        if (bytes.length - from >= Long.BYTES) {
            return (long) LONG.get(bytes, from);
        }
        return (long) LONG.get(Arrays.copyOfRange(bytes, from, from + Long.BYTES), 0);
    }

    /** Ones in the lowest {@code count} bytes, of up to seven. */
    private static long lowBytes(int count) {
        return (1L << Byte.SIZE * count) - 1;
    }

    private String padded(int from, int size, int length) {
        byte[] text = new byte[length];
        System.arraycopy(bytes, from, text, 0, size);
        Arrays.fill(text, size, length, (byte) ' ');
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private String readOtherText(ColumnType type, int from, int size) throws WireException {
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, size)).toString();
        } catch (CharacterCodingException e) {
            throw new WireException("packed string is not UTF-8", e);
        }
        boolean isChar = type.kind() == ColumnType.Kind.CHAR && type.length() > 0;
        if (text.indexOf('\0') >= 0 || isChar && text.endsWith(" ")) {
            throw new WireException("packed " + type + " has a NUL, or blanks at the end of a char(n)");
        }
        return isChar && size < type.length() ? text + " ".repeat(type.length() - size) : text;
    }
}
