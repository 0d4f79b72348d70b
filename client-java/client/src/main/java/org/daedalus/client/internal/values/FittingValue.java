package org.daedalus.client.internal.values;

import java.math.BigDecimal;
import org.daedalus.wire.ColumnType;

/** Numbers in the class that their column wants, as Java's own constants are int: what fits exactly is taken. */
public final class FittingValue {
    private FittingValue() {}

    /**
     * The value in its column's class where it is an integer; any other is given back as it is.
     *
     * @throws IllegalArgumentException when an integer is out of the column's range
     */
    public static Object of(ColumnType type, Object value) {
        if (!(value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte)) {
            return value;
        }
        long number = ((Number) value).longValue();
        return switch (type.kind()) {
            case SMALLINT -> (short) checked(type, number, Short.MIN_VALUE, Short.MAX_VALUE);
            case INT -> (int) checked(type, number, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> number;
            case NUMERIC -> BigDecimal.valueOf(number);
            case DOUBLE -> value instanceof Long ? value : (Object) (double) number;
            default -> value;
        };
    }

    private static long checked(ColumnType type, long number, long lowest, long highest) {
        if (number < lowest || number > highest) {
            throw new IllegalArgumentException(number + " is out of the range of " + type);
        }
        return number;
    }
}
