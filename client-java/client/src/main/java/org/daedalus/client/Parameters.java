package org.daedalus.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.Constants;
import org.daedalus.wire.v1.Constant;

/** Java values as parameters: numbers and booleans have a type of their own, everything else is untyped text. */
final class Parameters {
    private Parameters() {}

    /**
     * The constant that stands for {@code value} in SQL.
     *
     * @throws IllegalArgumentException for a class that no type corresponds to
     */
    static Constant of(Object value) {
        if (value instanceof Boolean) {
            return Constants.of(ColumnType.of(Kind.BOOL), value);
        }
        if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
            return Constants.of(ColumnType.of(Kind.INT), ((Number) value).intValue());
        }
        if (value instanceof Long) {
            return Constants.of(ColumnType.of(Kind.BIGINT), value);
        }
        if (value instanceof Float) {
            return Constants.of(ColumnType.of(Kind.REAL), value);
        }
        if (value instanceof Double) {
            return Constants.of(ColumnType.of(Kind.DOUBLE), value);
        }
        if (value instanceof BigDecimal decimal) {
            return Constants.of(ColumnType.numericOf(0, 0), decimal.scale() < 0 ? decimal.setScale(0) : decimal);
        }
        if (value instanceof BigInteger integer) {
            return Constants.of(ColumnType.numericOf(0, 0), new BigDecimal(integer));
        }
        if (value instanceof LocalDate date) {
            return Constants.untyped(TimeText.format(date));
        }
        if (value instanceof LocalDateTime time) {
            return Constants.untyped(TimeText.format(time));
        }
        if (value == null || value instanceof CharSequence || value instanceof Character || value instanceof Enum<?>) {
            return value == null ? Constants.of(ColumnType.UNTYPED, null) : Constants.untyped(value.toString());
        }
        throw new IllegalArgumentException("a " + value.getClass().getName() + " cannot be a parameter: those are"
                + " Boolean, Byte, Short, Integer, Long, Float, Double, BigDecimal, BigInteger, LocalDate,"
                + " LocalDateTime, CharSequence, Character, Enum and null");
    }
}
