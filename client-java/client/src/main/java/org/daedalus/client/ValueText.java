package org.daedalus.client;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Locale;
import java.util.regex.Pattern;
import org.daedalus.client.internal.values.DatetimeFields;
import org.daedalus.client.internal.values.FloatText;
import org.daedalus.client.internal.values.TimeText;
import org.daedalus.client.internal.values.UuidText;
import org.daedalus.wire.ColumnType;

/** Values from and to text as PostgreSQL's input and output functions do. Knows nothing of columns and files. */
public final class ValueText {
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,9})?");
    private static final Pattern HEXADECIMAL =
            Pattern.compile("[+-]?0[xX]([0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)([pP][+-]?\\d{1,9})?");
    private static final Pattern NAN = Pattern.compile("nan(\\([a-z0-9_]*\\))?");
    private static final int EXPONENT_MAX = 10_000;

    private ValueText() {}

    /**
     * Reads {@code text} as a value of {@code type}; char(n) loses trailing blanks, numeric rounds half away from zero.
     *
     * @throws ValueException 22P02 malformed, 22003 out of range, 22001 string too long, 22007 and 22008 dates, 22009
     *     and 22023 time zones, 22021 NUL in a string, 0A000 numeric NaN, today and now, intervals, which no
     *     column has
     */
    public static Object parse(ColumnType type, String text) throws ValueException {
        return switch (type.kind()) {
            case BOOL -> parseBool(text.strip());
            case SMALLINT -> (short) parseInteger(type, text, Short.MIN_VALUE, Short.MAX_VALUE);
            case INT -> (int) parseInteger(type, text, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> parseInteger(type, text, Long.MIN_VALUE, Long.MAX_VALUE);
            case REAL -> parseReal(text);
            case DOUBLE -> parseDouble(text);
            case NUMERIC -> parseNumeric(type, text);
            case DATE -> TimeText.parseDate(text);
            case TIMESTAMP -> TimeText.parseTimestamp(text);
            case TIMESTAMPTZ -> TimeText.parseInstant(text);
            case TIME -> TimeText.parseTime(text);
            case UUID -> UuidText.parse(text);
            case CHAR, VARCHAR, TEXT -> parseString(type, text);
            case INTERVAL -> throw new ValueException("0A000", "reading an interval is not supported: \"" + text
                    + "\"");
        };
    }

    /** Prints a value that is not NULL. */
    public static String format(ColumnType type, Object value) {
        return switch (type.kind()) {
            case BOOL -> (Boolean) value ? "t" : "f";
            case REAL -> FloatText.format((Float) value);
            case DOUBLE -> FloatText.format((Double) value);
            case NUMERIC -> ((BigDecimal) value).toPlainString();
            case DATE -> TimeText.format((LocalDate) value);
            case TIMESTAMP -> TimeText.format((LocalDateTime) value);
            case TIMESTAMPTZ -> TimeText.format((Instant) value);
            case TIME -> TimeText.format((LocalTime) value);
            default -> value.toString();
        };
    }

    private static ValueException malformed(ColumnType type, String text) {
        String name = type.kind() == ColumnType.Kind.NUMERIC ? "numeric" : type.toString();
        return new ValueException("22P02", "invalid input syntax for type " + name + ": \"" + text + "\"");
    }

    private static boolean parseBool(String text) throws ValueException {
        String lower = text.toLowerCase(Locale.ROOT);
        if (!lower.isEmpty()) {
            if ("true".startsWith(lower) || "yes".startsWith(lower) || lower.equals("on") || lower.equals("1")) {
                return true;
            }
            boolean off = lower.length() > 1 && "off".startsWith(lower);
            if ("false".startsWith(lower) || "no".startsWith(lower) || off || lower.equals("0")) {
                return false;
            }
        }
        throw malformed(ColumnType.of(ColumnType.Kind.BOOL), text);
    }

    private static long parseInteger(ColumnType type, String text, long min, long max) throws ValueException {
        String trimmed = text.strip();
        boolean isNegative = trimmed.startsWith("-");
        int start = isNegative || trimmed.startsWith("+") ? 1 : 0;
        int end = start;
        long value = 0; // Never above 0: there is one more negative number than positive ones.
        while (end < trimmed.length() && DatetimeFields.isDigit(trimmed.charAt(end))) {
            int digit = trimmed.charAt(end++) - '0';
            // As PostgreSQL reads digits: that there are too many shows before what follows them does.
            if (value < (min + digit) / 10) {
                throw outOfRange(type, text);
            }
            value = value * 10 - digit;
        }
        if (end == start || end < trimmed.length()) {
            throw malformed(type, text);
        }
        if (!isNegative && value < -max) {
            throw outOfRange(type, text);
        }
        return isNegative ? value : -value;
    }

    private static ValueException outOfRange(ColumnType type, String text) {
        return new ValueException("22003", "value \"" + text + "\" is out of range for type " + type);
    }

    private static float parseReal(String text) throws ValueException {
        ColumnType type = ColumnType.of(ColumnType.Kind.REAL);
        String trimmed = text.strip();
        Double special = special(trimmed);
        if (special != null) {
            return special.floatValue();
        }
        float value = Float.parseFloat(floating(type, text));
        if (Float.isInfinite(value) || (value == 0 && isNotZero(trimmed))) {
            throw new ValueException("22003", "\"" + text + "\" is out of range for type real");
        }
        return value;
    }

    private static double parseDouble(String text) throws ValueException {
        ColumnType type = ColumnType.of(ColumnType.Kind.DOUBLE);
        String trimmed = text.strip();
        Double special = special(trimmed);
        if (special != null) {
            return special;
        }
        double value = Double.parseDouble(floating(type, text));
        if (Double.isInfinite(value) || (value == 0 && isNotZero(trimmed))) {
            throw new ValueException("22003", "\"" + text + "\" is out of range for type double precision");
        }
        return value;
    }

    /**
     * Spells the number as Java reads it: PostgreSQL leaves these texts to strtod(), which wants no exponent after 0x.
     */
    private static String floating(ColumnType type, String text) throws ValueException {
        String trimmed = text.strip();
        if (HEXADECIMAL.matcher(trimmed).matches()) {
            return trimmed.indexOf('p') >= 0 || trimmed.indexOf('P') >= 0 ? trimmed : trimmed + "p0";
        }
        if (!DECIMAL.matcher(trimmed).matches()) {
            throw malformed(type, text);
        }
        return trimmed;
    }

    private static Double special(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        String sign = lower.startsWith("-") || lower.startsWith("+") ? lower.substring(0, 1) : "";
        String magnitude = lower.substring(sign.length());
        if (magnitude.equals("inf") || magnitude.equals("infinity")) {
            return sign.equals("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        return NAN.matcher(magnitude).matches() ? Double.NaN : null;
    }

    /** Says whether the mantissa is not zero: then a value of zero is an underflow. */
    private static boolean isNotZero(String number) {
        String lower = number.toLowerCase(Locale.ROOT);
        int start = lower.indexOf('x') + 1;
        int end = lower.indexOf(start > 0 ? 'p' : 'e');
        String mantissa = lower.substring(start, end < 0 ? lower.length() : end);
        return mantissa.chars().anyMatch(c -> c != '0' && Character.digit(c, 16) > 0);
    }

    private static BigDecimal parseNumeric(ColumnType type, String text) throws ValueException {
        String trimmed = text.strip();
        Double special = special(trimmed);
        if (special != null && special.isInfinite() && type.precision() > 0) {
            throw new ValueException("22003",
                    "numeric field overflow: a field with a precision cannot hold an infinite value");
        }
        if (special != null && (special.isInfinite() || trimmed.equalsIgnoreCase("nan"))) {
            throw new ValueException("0A000", "numeric " + trimmed + " is not supported");
        }
        if (!DECIMAL.matcher(trimmed).matches()) {
            throw malformed(type, text);
        }
        BigDecimal value = new BigDecimal(trimmed);
        long magnitude = (long) value.precision() - value.scale();
        if (value.signum() != 0 && magnitude > EXPONENT_MAX) {
            throw new ValueException("22003", "value overflows numeric format");
        }
        if (type.precision() == 0) {
            return value.scale() < 0 ? value.setScale(0) : value;
        }
        BigDecimal rounded = value.signum() == 0 || magnitude < -EXPONENT_MAX
                ? BigDecimal.ZERO.setScale(type.scale())
                : value.setScale(type.scale(), RoundingMode.HALF_UP);
        if (rounded.signum() != 0 && rounded.precision() > type.precision()) {
            throw new ValueException("22003", "numeric field overflow: \"" + text + "\" does not fit " + type);
        }
        return rounded;
    }

    private static String parseString(ColumnType type, String text) throws ValueException {
        if (text.indexOf('\0') >= 0) {
            throw new ValueException("22021", "a string cannot contain the character NUL");
        }
        int end = text.length();
        if (type.kind() == ColumnType.Kind.CHAR) {
            end = endWithoutBlanks(text);
        }
        int size = utf8Size(text, end);
        while (type.length() > 0 && size > type.length() && end > 0 && text.charAt(end - 1) == ' ') {
            end--;
            size--;
        }
        if (type.length() > 0 && size > type.length()) {
            throw new ValueException("22001", "value too long for type " + type);
        }
        return text.substring(0, end);
    }

    private static int endWithoutBlanks(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return end;
    }

    private static int utf8Size(String text, int end) {
        for (int i = 0; i < end; i++) {
            if (text.charAt(i) >= 0x80) {
                return text.substring(0, end).getBytes(StandardCharsets.UTF_8).length;
            }
        }
        return end;
    }
}
