package org.daedalus.client.internal.values;

import java.time.LocalDate;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;

/**
 * Packs values that are spelled in the plainest way, straight from bytes, without an object each: what loading is
 * mostly made of. Whatever is not plain (blanks, exponents, non-ASCII, values out of range, mistakes) it leaves to
 * {@link org.daedalus.client.ValueText}, so that it decides nothing: it packs a field as that class would have read it.
 */
public final class PlainText {
    private static final int DIGITS_MAX = 18;
    private static final long[] POWERS_OF_TEN = new long[DIGITS_MAX + 1];
    private static final long MICROS_PER_SECOND = 1_000_000L;
    private static final long SECONDS_PER_DAY = 86_400L;
    private static final int DATE_SIZE = 10;
    private static final int MOMENT_SIZE = 19;
    private static final int TIME_SIZE = 8;
    private static final int DAYS_IN_EVERY_MONTH = 28;

    static {
        POWERS_OF_TEN[0] = 1;
        for (int i = 1; i <= DIGITS_MAX; i++) {
            POWERS_OF_TEN[i] = 10 * POWERS_OF_TEN[i - 1];
        }
    }

    private PlainText() {}

    /** Appends the value of a plain text; returns false when the text is not plain, and nothing has been written. */
    public static boolean append(ColumnType type, byte[] text, int from, int to, ByteWriter out) {
        return switch (type.kind()) {
            case BOOL -> appendBool(text, from, to, out);
            case SMALLINT -> appendInteger(text, from, to, Short.MIN_VALUE, Short.MAX_VALUE, 2, out);
            case INT -> appendInteger(text, from, to, Integer.MIN_VALUE, Integer.MAX_VALUE, 4, out);
            case BIGINT -> appendInteger(text, from, to, Long.MIN_VALUE, Long.MAX_VALUE, 8, out);
            case NUMERIC -> appendNumeric(type, text, from, to, out);
            case DATE -> appendDate(text, from, to, out);
            case TIMESTAMP, TIMESTAMPTZ -> appendTimestamp(text, from, to, out);
            case TIME -> appendTime(text, from, to, out);
            case UUID -> UuidText.append(text, from, to, out);
            case CHAR -> appendString(type.length(), text, from, endWithoutBlanks(text, from, to), out);
            case VARCHAR, TEXT -> appendString(type.length(), text, from, to, out);
            default -> false;
        };
    }

    private static boolean appendBool(byte[] text, int from, int to, ByteWriter out) {
        int size = to - from;
        int first = size == 0 ? 0 : text[from];
        boolean isTrue = size == 1 && (first == 't' || first == '1')
                || size == 4 && first == 't' && text[from + 1] == 'r' && text[from + 2] == 'u' && text[from + 3] == 'e';
        boolean isFalse = size == 1 && (first == 'f' || first == '0')
                || size == 5 && first == 'f' && text[from + 1] == 'a' && text[from + 2] == 'l' && text[from + 3] == 's'
                        && text[from + 4] == 'e';
        if (isTrue || isFalse) {
            out.putInteger(isTrue ? 1 : 0, 1);
        }
        return isTrue || isFalse;
    }

    private static boolean appendInteger(byte[] text, int from, int to, long min, long max, int width,
            ByteWriter out) {
        int start = from < to && text[from] == '-' ? from + 1 : from;
        if (start >= to || to - start > DIGITS_MAX) {
            return false;
        }
        long magnitude = digits(text, start, to);
        long value = start == from ? magnitude : -magnitude;
        if (magnitude < 0 || value < min || value > max) {
            return false;
        }
        out.putInteger(value, width);
        return true;
    }

    /** The number these digits make; negative when there is something else among them. */
    private static long digits(byte[] text, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = text[i] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = 10 * value + digit;
        }
        return value;
    }

    private static boolean appendNumeric(ColumnType type, byte[] text, int from, int to, ByteWriter out) {
        boolean isShort = type.precision() > 0 && type.precision() <= ColumnType.SHORT_NUMERIC_PRECISION_MAX;
        int start = from < to && text[from] == '-' ? from + 1 : from;
        int point = start;
        while (point < to && text[point] != '.') {
            point++;
        }
        int fractionSize = Math.max(0, to - point - 1);
        int wholeSize = point - start;
        if (!isShort || wholeSize == 0 || wholeSize + type.scale() > DIGITS_MAX || fractionSize > type.scale()) {
            return false;
        }
        long whole = digits(text, start, point);
        long fraction = fractionSize == 0 ? 0 : digits(text, point + 1, to);
        long value = whole * POWERS_OF_TEN[type.scale()] + fraction * POWERS_OF_TEN[type.scale() - fractionSize];
        if (whole < 0 || fraction < 0 || value >= POWERS_OF_TEN[type.precision()]) {
            return false;
        }
        out.putInteger(start == from ? value : -value, 8);
        return true;
    }

    private static boolean appendDate(byte[] text, int from, int to, ByteWriter out) {
        long day = to - from == DATE_SIZE ? epochDay(text, from) : Long.MIN_VALUE;
        if (day == Long.MIN_VALUE) {
            return false;
        }
        out.putInteger(day, 4);
        return true;
    }

    private static boolean appendTimestamp(byte[] text, int from, int to, ByteWriter out) {
        if (to - from != MOMENT_SIZE || (text[from + 10] != ' ' && text[from + 10] != 'T')) {
            return false;
        }
        long day = epochDay(text, from);
        long seconds = secondsOfDay(text, from + 11);
        if (day == Long.MIN_VALUE || seconds < 0) {
            return false;
        }
        out.putInteger((day * SECONDS_PER_DAY + seconds) * MICROS_PER_SECOND, 8);
        return true;
    }

    private static boolean appendTime(byte[] text, int from, int to, ByteWriter out) {
        long seconds = to - from == TIME_SIZE ? secondsOfDay(text, from) : -1;
        if (seconds < 0) {
            return false;
        }
        out.putInteger(seconds * MICROS_PER_SECOND, 8);
        return true;
    }

    /** Reads HH:MM:SS; returns a negative number when the text is not one. */
    private static long secondsOfDay(byte[] text, int from) {
        long hour = digits(text, from, from + 2);
        long minute = digits(text, from + 3, from + 5);
        long second = digits(text, from + 6, from + 8);
        boolean isPlain = text[from + 2] == ':' && text[from + 5] == ':' && hour >= 0 && hour <= 23 && minute >= 0
                && minute <= 59 && second >= 0 && second <= 59;
        return isPlain ? hour * 3_600 + minute * 60 + second : -1;
    }

    /** Days since 1970 of YYYY-MM-DD; the smallest long when that is not what stands there. */
    private static long epochDay(byte[] text, int from) {
        long year = digits(text, from, from + 4);
        long month = digits(text, from + 5, from + 7);
        long day = digits(text, from + 8, from + 10);
        boolean isPlain = text[from + 4] == '-' && text[from + 7] == '-' && year > 0 && month >= 1 && month <= 12
                && day >= 1;
        if (!isPlain || day > DAYS_IN_EVERY_MONTH && day > lengthOfMonth((int) year, (int) month)) {
            return Long.MIN_VALUE;
        }
        return LocalDate.of((int) year, (int) month, (int) day).toEpochDay();
    }

    private static int lengthOfMonth(int year, int month) {
        return LocalDate.of(year, month, 1).lengthOfMonth();
    }

    private static boolean appendString(int sizeMax, byte[] text, int from, int to, ByteWriter out) {
        int size = to - from;
        if (size > sizeMax) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (text[i] <= 0) {
                return false; // NUL, or not ASCII.
            }
        }
        out.putInteger(size, 2);
        out.put(text, from, size);
        return true;
    }

    private static int endWithoutBlanks(byte[] text, int from, int to) {
        int end = to;
        while (end > from && text[end - 1] == ' ') {
            end--;
        }
        return end;
    }
}
