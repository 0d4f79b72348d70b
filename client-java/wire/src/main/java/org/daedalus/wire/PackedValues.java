package org.daedalus.wire;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.UUID;

/**
 * Single values in the packed layout (docs/wire.md, "Packed values").
 *
 * <p>A value's Java class is fixed by its type: Boolean, Short, Integer, Long, Float, Double, BigDecimal, LocalDate,
 * LocalDateTime, LocalTime, Instant, UUID, String, Interval. NULL has no packed form and is none of this class's
 * business. Infinity of dates and timestamps, which the greatest and the least number of their bytes stand for, is MAX
 * and MIN of LocalDate, LocalDateTime and Instant.
 */
public final class PackedValues {
    static final int FLOAT_NAN = 0x7fc00000;
    static final long DOUBLE_NAN = 0x7ff8000000000000L;
    /** Dates reach from the first day of the year 1 to 5874897-12-31. */
    static final int DATE_MIN = -719_162;
    static final int DATE_MAX = 2_145_042_905;
    /** Timestamps reach from the first day of the year 1 to the end of 294246. */
    static final long TIMESTAMP_MIN = DATE_MIN * 86_400_000_000L;
    static final long TIMESTAMP_MAX = 9_223_371_244_799_999_999L;
    /** Computed dates reach back to 4714-11-24 before Christ. */
    static final int COMPUTED_DATE_MIN = -2_440_588;
    static final long COMPUTED_TIMESTAMP_MIN = COMPUTED_DATE_MIN * 86_400_000_000L;
    /** 24:00:00. */
    static final long TIME_MAX = 86_400_000_000L;
    static final int LONG_NUMERIC_SIZE = 16;
    static final int INTERVAL_SIZE = 16;
    static final int UUID_SIZE = 16;
    static final int STRING_SIZE_MAX = 0xffff;
    /** A numeric without precision has at most so many digits after its point. */
    static final int SCALE_MAX = 1_000;
    /** A numeric without precision has at most so many bytes of digits, and so many digits. */
    private static final int UNBOUNDED_SIZE_MAX = 0xff;
    private static final int UNBOUNDED_DIGITS_MAX = 614;
    private static final int MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private PackedValues() {}

    /**
     * Appends one value.
     *
     * @throws IllegalArgumentException when the value does not fit the type; nothing has been written then
     */
    public static void append(ColumnType type, Object value, ByteWriter out) {
        try {
            switch (type.kind()) {
                case BOOL -> out.putInteger((Boolean) value ? 1 : 0, 1);
                case SMALLINT -> out.putInteger((Short) value, 2);
                case INT -> out.putInteger((Integer) value, 4);
                case BIGINT -> out.putInteger((Long) value, 8);
                case REAL -> out.putInteger(floatBits((Float) value), 4);
                case DOUBLE -> out.putInteger(doubleBits((Double) value), 8);
                case NUMERIC -> appendNumeric(type, (BigDecimal) value, out);
                case DATE -> out.putInteger(checkedDays((LocalDate) value), 4);
                case TIMESTAMP -> out.putInteger(checkedMicros(value, toMicros((LocalDateTime) value)), 8);
                case TIMESTAMPTZ -> out.putInteger(checkedMicros(value, toMicros((Instant) value)), 8);
                case TIME -> out.putInteger(toMicros((LocalTime) value), 8);
                case UUID -> appendUuid((UUID) value, out);
                case CHAR, VARCHAR, TEXT -> appendString(type, (String) value, out);
                case INTERVAL -> appendInterval((Interval) value, out);
                default -> throw new IllegalArgumentException("no packed layout for " + type);
            }
        } catch (ClassCastException | ArithmeticException e) {
            throw new IllegalArgumentException(value + " is no value of " + type, e);
        }
    }

    /** Returns the packed bytes of one value. */
    public static byte[] encode(ColumnType type, Object value) {
        ByteWriter out = new ByteWriter(16);
        append(type, value, out);
        return out.toByteArray();
    }

    /** The most bytes a value of {@code type} takes. */
    static int sizeMax(ColumnType type) {
        return switch (type.kind()) {
            case BOOL -> 1;
            case SMALLINT -> 2;
            case INT, REAL, DATE -> 4;
            case BIGINT, DOUBLE, TIMESTAMP, TIMESTAMPTZ, TIME -> 8;
            case UUID -> UUID_SIZE;
            case NUMERIC -> type.precision() == 0 ? 3 + 0xff : LONG_NUMERIC_SIZE;
            case INTERVAL -> INTERVAL_SIZE;
            case CHAR, VARCHAR, TEXT -> 2 + (type.length() == 0 ? STRING_SIZE_MAX : type.length());
        };
    }

    /** Microseconds since 1970-01-01 00:00:00; finer digits are dropped. MAX and MIN are infinite. */
    public static long toMicros(LocalDateTime value) {
        if (value.equals(LocalDateTime.MAX) || value.equals(LocalDateTime.MIN)) {
            return value.equals(LocalDateTime.MAX) ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        return toMicros(value.toInstant(ZoneOffset.UTC));
    }

    public static long toMicros(Instant value) {
        if (value.equals(Instant.MAX) || value.equals(Instant.MIN)) {
            return value.equals(Instant.MAX) ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        long micros = Math.multiplyExact(value.getEpochSecond(), MICROS_PER_SECOND);
        return Math.addExact(micros, value.getNano() / NANOS_PER_MICRO);
    }

    public static LocalDateTime ofMicros(long micros) {
        if (isInfiniteTimestamp(micros)) {
            return micros > 0 ? LocalDateTime.MAX : LocalDateTime.MIN;
        }
        return LocalDateTime.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND),
                Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO, ZoneOffset.UTC);
    }

    public static Instant instantOfMicros(long micros) {
        if (isInfiniteTimestamp(micros)) {
            return micros > 0 ? Instant.MAX : Instant.MIN;
        }
        return ofMicros(micros).toInstant(ZoneOffset.UTC);
    }

    static LocalDate dateOfDays(int days) {
        if (isInfiniteDate(days)) {
            return days > 0 ? LocalDate.MAX : LocalDate.MIN;
        }
        return LocalDate.ofEpochDay(days);
    }

    /** Says whether the value is infinity of a date or timestamp. */
    public static boolean isInfinite(Object value) {
        return value instanceof LocalDate date && (date.equals(LocalDate.MAX) || date.equals(LocalDate.MIN))
                || value instanceof LocalDateTime time && isInfiniteTimestamp(toMicros(time))
                || value instanceof Instant instant && isInfiniteTimestamp(toMicros(instant));
    }

    static boolean isInfiniteDate(long days) {
        return days == Integer.MAX_VALUE || days == Integer.MIN_VALUE;
    }

    static boolean isInfiniteTimestamp(long micros) {
        return micros == Long.MAX_VALUE || micros == Long.MIN_VALUE;
    }

    /** Microseconds of the day; finer digits are dropped, but LocalTime.MAX stands for 24:00:00. */
    public static long toMicros(LocalTime value) {
        return value.equals(LocalTime.MAX) ? TIME_MAX : value.toNanoOfDay() / NANOS_PER_MICRO;
    }

    /** 24:00:00, which LocalTime has not, is LocalTime.MAX, which no other number of microseconds is. */
    public static LocalTime timeOfMicros(long micros) {
        return micros == TIME_MAX ? LocalTime.MAX : LocalTime.ofNanoOfDay(micros * NANOS_PER_MICRO);
    }

    /** Appends the number that its digits are, less 2^127: numbers are in the order of their digits then. */
    private static void appendUuid(UUID value, ByteWriter out) {
        out.putInteger(value.getLeastSignificantBits(), 8);
        out.putInteger(value.getMostSignificantBits() ^ Long.MIN_VALUE, 8);
    }

    static int floatBits(float value) {
        return Float.isNaN(value) ? FLOAT_NAN : Float.floatToRawIntBits(value);
    }

    static long doubleBits(double value) {
        return Double.isNaN(value) ? DOUBLE_NAN : Double.doubleToRawLongBits(value);
    }

    private static void appendNumeric(ColumnType type, BigDecimal value, ByteWriter out) {
        if (type.precision() == 0) {
            appendUnbounded(value, out);
            return;
        }
        BigDecimal scaled = value.setScale(type.scale());
        if (!type.holds(scaled)) {
            throw new IllegalArgumentException(value + " does not fit " + type);
        }
        BigInteger unscaled = scaled.unscaledValue();
        out.putInteger(unscaled.longValue(), 8);
        if (type.precision() > ColumnType.SHORT_NUMERIC_PRECISION_MAX) {
            out.putInteger(unscaled.shiftRight(Long.SIZE).longValue(), 8);
        }
    }

    /** The wire has no negative scales: 1E+3 travels as 1000. */
    private static void appendUnbounded(BigDecimal value, ByteWriter out) {
        long digits = value.precision() - (long) Math.min(0, value.scale());
        byte[] unscaled = digits > UNBOUNDED_DIGITS_MAX ? new byte[0]
                : value.setScale(Math.max(0, value.scale())).unscaledValue().toByteArray();
        if (unscaled.length == 0 || unscaled.length > UNBOUNDED_SIZE_MAX || value.scale() > SCALE_MAX) {
            throw new IllegalArgumentException("numeric has too many digits");
        }
        out.putInteger(unscaled.length, 1);
        out.putInteger(Math.max(0, value.scale()), 2);
        out.put(unscaled);
    }

    private static void appendInterval(Interval value, ByteWriter out) {
        out.putInteger(value.micros(), 8);
        out.putInteger(value.days(), 4);
        out.putInteger(value.months(), 4);
    }

    private static long checkedDays(LocalDate date) {
        if (date.equals(LocalDate.MAX) || date.equals(LocalDate.MIN)) {
            return date.equals(LocalDate.MAX) ? Integer.MAX_VALUE : Integer.MIN_VALUE;
        }
        return checked(date, DATE_MIN, date.toEpochDay(), DATE_MAX);
    }

    private static long checkedMicros(Object time, long micros) {
        return isInfiniteTimestamp(micros) ? micros : checked(time, TIMESTAMP_MIN, micros, TIMESTAMP_MAX);
    }

    private static long checked(Object time, long least, long value, long greatest) {
        if (value < least || value > greatest) {
            throw new IllegalArgumentException(time + " is out of range");
        }
        return value;
    }

    private static void appendString(ColumnType type, String value, ByteWriter out) {
        String text = type.kind() == ColumnType.Kind.CHAR ? withoutTrailingBlanks(value) : value;
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int sizeMax = type.length() == 0 ? STRING_SIZE_MAX : type.length();
        if (bytes.length > sizeMax || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("string of " + bytes.length + " bytes does not fit " + type
                    + " or has a NUL");
        }
        out.putInteger(bytes.length, 2);
        out.put(bytes);
    }

    static String withoutTrailingBlanks(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(0, end);
    }
}
