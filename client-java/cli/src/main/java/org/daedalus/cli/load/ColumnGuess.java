package org.daedalus.cli.load;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.daedalus.client.ValueException;
import org.daedalus.client.ValueText;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;

/**
 * Finds the type that holds all values of a column, as far as they have been seen, with room for those that have not:
 * numbers twice as large, strings half as long again. Codes that begin with a zero are strings, so that they keep it.
 */
final class ColumnGuess {
    private static final Pattern INTEGER = Pattern.compile("[+-]?(0|[1-9]\\d*)");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(0|[1-9]\\d*)?\\.\\d+");
    private static final Pattern FLOAT = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?|[Nn]a[Nn]");
    private static final Pattern DAY = Pattern.compile("\\d{4,}-\\d{2}-\\d{2}");
    private static final Pattern CLOCK = Pattern.compile("\\d{1,2}:\\d{2}(:\\d{2}(\\.\\d+)?)?");
    private static final Pattern TIMESTAMP = Pattern.compile(DAY + "[ T]" + CLOCK);
    private static final Pattern ZONED = Pattern.compile(TIMESTAMP + " ?(Z|[+-]\\d{2}(:?\\d{2})?)");
    private static final Pattern UNIQUE_ID = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    private static final Set<String> TRUTHS = Set.of("true", "false", "t", "f");
    /** A text may be of these types, by preference; strings hold everything. */
    private static final List<Kind> PREFERENCE = List.of(Kind.BOOL, Kind.BIGINT, Kind.NUMERIC, Kind.DOUBLE, Kind.DATE,
            Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.UUID);
    private static final List<Kind> DAYS_AND_TIMESTAMPS = List.of(Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ);
    private static final int LENGTH_UNKNOWN = 40;
    private static final int LENGTH_STEP = 8;

    private final boolean hasDecimalComma;
    /** Without a form, which is null then, dates are as PostgreSQL reads them. */
    private final DateForm dates;
    private final Set<Kind> possible = EnumSet.copyOf(PREFERENCE);
    private long values;
    private boolean hasNull;
    private int sizeMax;
    private BigInteger largest = BigInteger.ZERO;
    private int wholeDigits = 1;
    private int scale;

    ColumnGuess(CsvFormat format) {
        hasDecimalComma = format.hasDecimalComma();
        dates = format.dateFormats().isEmpty() ? null : new DateForm(format.dateFormats());
    }

    /** Takes into account that there is no value. */
    void addNull() {
        hasNull = true;
    }

    /** Takes a value into account. */
    void add(String text) {
        values++;
        sizeMax = Math.max(sizeMax, text.getBytes(StandardCharsets.UTF_8).length);
        possible.removeIf(kind -> {
            String spelled = spelled(kind, text);
            return spelled == null || !mayBe(kind, spelled);
        });
        if (possible.contains(Kind.BIGINT)) {
            largest = largest.max(new BigInteger(text).abs());
        }
        if (possible.contains(Kind.NUMERIC)) {
            int point = text.indexOf(hasDecimalComma ? ',' : '.');
            wholeDigits = Math.max(wholeDigits, point < 0 ? text.length() : point);
            scale = point < 0 ? scale : Math.max(scale, text.length() - point - 1);
        }
    }

    /** Returns the text as PostgreSQL spells such a value; null where it is none. */
    private String spelled(Kind kind, String text) {
        return switch (kind) {
            case NUMERIC, DOUBLE -> hasDecimalComma ? FieldForms.withPoint(text) : text;
            case DATE, TIMESTAMP, TIMESTAMPTZ -> dates == null ? text : dates.rewritten(text, Kind.TIMESTAMPTZ);
            default -> text;
        };
    }

    private static boolean mayBe(Kind kind, String text) {
        return switch (kind) {
            case BOOL -> TRUTHS.contains(text.toLowerCase(Locale.ROOT));
            case BIGINT -> INTEGER.matcher(text).matches();
            case NUMERIC -> INTEGER.matcher(text).matches() || DECIMAL.matcher(text).matches();
            case DOUBLE -> FLOAT.matcher(text).matches() && !isCode(text);
            case DATE -> DAY.matcher(text).matches() && isValue(kind, text);
            case TIME -> CLOCK.matcher(text).matches() && isValue(kind, text);
            case TIMESTAMP -> (TIMESTAMP.matcher(text).matches() || DAY.matcher(text).matches()) && isValue(kind, text);
            case TIMESTAMPTZ -> ZONED.matcher(text).matches() && isValue(kind, text);
            case UUID -> UNIQUE_ID.matcher(text).matches();
            default -> false;
        };
    }

    private static boolean isCode(String text) {
        return text.length() > 1 && text.charAt(0) == '0' && Character.isDigit(text.charAt(1));
    }

    private static boolean isValue(Kind kind, String text) {
        try {
            ValueText.parse(ColumnType.of(kind), text);
            return true;
        } catch (ValueException e) {
            return false;
        }
    }

    boolean isNullable() {
        return hasNull || values == 0;
    }

    /** Returns the longest string that was seen, in bytes. */
    int sizeMax() {
        return sizeMax;
    }

    /** Returns a type that holds all that was seen, and some more. */
    ColumnType type() {
        Kind kind = values == 0 ? null : preference().filter(possible::contains).findFirst().orElse(null);
        if (kind == null) {
            return ColumnType.varcharOf(length());
        }
        return switch (kind) {
            case BIGINT -> integer();
            case NUMERIC -> numeric();
            default -> ColumnType.of(kind);
        };
    }

    /**
     * Returns the kinds in the order in which they are tried: where the form of dates is told, digits of that form are
     * a date.
     */
    private Stream<Kind> preference() {
        return dates == null ? PREFERENCE.stream() : Stream.concat(DAYS_AND_TIMESTAMPS.stream(), PREFERENCE.stream());
    }

    private int length() {
        int wanted = values == 0 ? LENGTH_UNKNOWN : sizeMax + sizeMax / 2;
        int rounded = (Math.max(1, wanted) + LENGTH_STEP - 1) / LENGTH_STEP * LENGTH_STEP;
        return Math.max(Math.min(rounded, ColumnType.STRING_LENGTH_MAX), sizeMax);
    }

    private ColumnType integer() {
        int bits = largest.bitLength() + 1;
        if (bits < Short.SIZE) {
            return ColumnType.of(Kind.SMALLINT);
        }
        if (bits < Integer.SIZE) {
            return ColumnType.of(Kind.INT);
        }
        return bits <= Long.SIZE ? ColumnType.of(Kind.BIGINT) : numeric();
    }

    private ColumnType numeric() {
        int precision = wholeDigits + 1 + scale;
        return precision > ColumnType.NUMERIC_PRECISION_MAX ? ColumnType.of(Kind.DOUBLE)
                : ColumnType.numericOf(precision, scale);
    }
}
