package org.daedalus.client;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Locale;
import java.util.regex.Pattern;
import org.daedalus.wire.ColumnType;

/** Values from and to text as PostgreSQL's input and output functions do. Knows nothing of columns and files. */
public final class ValueText {
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,9})?");
    private static final int EXPONENT_MAX = 10_000;

    private ValueText() {}

    /**
     * Reads {@code text} as a value of {@code type}; char(n) loses trailing blanks, numeric rounds half away from zero.
     *
     * @throws ValueException 22P02 malformed, 22003 out of range, 22001 string too long, 22007 and 22008 dates, 22021
     * NUL
     *     in a string, 0A000 numeric infinity or NaN
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
            case CHAR, VARCHAR -> parseString(type, text);
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
        if (!isInteger(trimmed)) {
            throw malformed(type, text);
        }
        try {
            long value = Long.parseLong(trimmed);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Beyond 64 bits.
        }
        throw new ValueException("22003", "value \"" + text + "\" is out of range for type " + type);
    }

    /** A sign or none, then ASCII digits. */
    private static boolean isInteger(String text) {
        int start = !text.isEmpty() && (text.charAt(0) == '+' || text.charAt(0) == '-') ? 1 : 0;
        for (int i = start; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return text.length() > start;
    }

    private static float parseReal(String text) throws ValueException {
        ColumnType type = ColumnType.of(ColumnType.Kind.REAL);
        String trimmed = text.strip();
        Double special = special(trimmed);
        if (special != null) {
            return special.floatValue();
        }
        if (!DECIMAL.matcher(trimmed).matches()) {
            throw malformed(type, text);
        }
        float value = Float.parseFloat(trimmed);
        if (Float.isInfinite(value) || (value == 0 && hasDigits(trimmed))) {
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
        if (!DECIMAL.matcher(trimmed).matches()) {
            throw malformed(type, text);
        }
        double value = Double.parseDouble(trimmed);
        if (Double.isInfinite(value) || (value == 0 && hasDigits(trimmed))) {
            throw new ValueException("22003", "\"" + text + "\" is out of range for type double precision");
        }
        return value;
    }

    private static Double special(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        String sign = lower.startsWith("-") || lower.startsWith("+") ? lower.substring(0, 1) : "";
        return switch (lower.substring(sign.length())) {
            case "nan" -> sign.isEmpty() ? Double.NaN : null;
            case "inf", "infinity" -> sign.equals("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
            default -> null;
        };
    }

    /** Whether the mantissa is not zero: then a value of zero is an underflow. */
    private static boolean hasDigits(String decimal) {
        for (char c : decimal.toCharArray()) {
            if (c == 'e' || c == 'E') {
                return false;
            }
            if (c >= '1' && c <= '9') {
                return true;
            }
        }
        return false;
    }

    private static BigDecimal parseNumeric(ColumnType type, String text) throws ValueException {
        String trimmed = text.strip();
        if (special(trimmed) != null) {
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
