package org.daedalus.client;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.UUID;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Interval;

/**
 * One row of an answer. Columns are counted from 0 (JDBC counts from 1), or named: exactly, or else without regard to
 * case.
 *
 * <p>A getter for NULL returns null or, where it returns a primitive, throws NullPointerException: ask {@link #isNull}
 * first, or use {@link #get}. (There is no wasNull(): a row remembers nothing of what it was asked.) A getter of
 * another type than the column's throws ClassCastException, except that integers widen to larger integers and to
 * BigDecimal, smallint and int to double, and real to double: what loses nothing. Both say which column it was, what
 * it holds and what to call instead; {@link #getText} has any value as text. A column that is not there throws
 * IndexOutOfBoundsException or IllegalArgumentException.
 */
public final class Row {
    private final ResultColumns columns;
    private final Object[] values;

    Row(ResultColumns columns, Object[] values) {
        this.columns = columns;
        this.values = values;
    }

    /** Returns the answer's columns, in their order. */
    public List<ResultColumn> columns() {
        return columns.list();
    }

    /** Returns the number of columns. */
    public int size() {
        return values.length;
    }

    /** Says whether the column, counted from 0, is NULL. */
    public boolean isNull(int column) {
        return value(column) == null;
    }

    /** Says whether the column with this name is NULL. */
    public boolean isNull(String column) {
        return isNull(columns.indexOf(column));
    }

    /**
     * Returns the value in its natural class: Boolean, Short, Integer, Long, Float, Double, BigDecimal, LocalDate,
     * LocalDateTime, LocalTime, Instant, UUID, String or Interval; null for NULL. Infinity of dates and timestamps is
     * MAX or MIN of their class.
     */
    public Object getObject(int column) {
        return value(column);
    }

    /** Does what {@link #getObject(int)} does, for the column with this name. */
    public Object getObject(String column) {
        return value(columns.indexOf(column));
    }

    /**
     * Returns the value as a {@code type}, one of the natural classes, widened where the other getters would; null for
     * NULL.
     */
    public <T> T get(int column, Class<T> type) {
        Object value = value(column);
        if (value == null || type.isInstance(value)) {
            return type.cast(value);
        }
        Object widened = widen(value, type);
        if (widened == null) {
            throw new ClassCastException(describe(column) + ": no value of it is a " + type.getSimpleName()
                    + "; use " + natural(columns.list().get(column).type().kind())
                    + (type == String.class ? "(), or getText() for any value as text" : "()"));
        }
        return type.cast(widened);
    }

    /** Does what {@link #get(int, Class)} does, for the column with this name. */
    public <T> T get(String column, Class<T> type) {
        return get(columns.indexOf(column), type);
    }

    /** {@link #get}, under the name that JDBC gives it. */
    public <T> T getObject(int column, Class<T> type) {
        return get(column, type);
    }

    /** Does what {@link #getObject(int, Class)} does, for the column with this name. */
    public <T> T getObject(String column, Class<T> type) {
        return get(column, type);
    }

    /** Returns the value of a boolean. */
    public boolean getBoolean(int column) {
        return present(column, Boolean.class);
    }

    /** Does what {@link #getBoolean(int)} does, for the column with this name. */
    public boolean getBoolean(String column) {
        return getBoolean(columns.indexOf(column));
    }

    /** Returns the value of a smallint. */
    public short getShort(int column) {
        return present(column, Short.class);
    }

    /** Does what {@link #getShort(int)} does, for the column with this name. */
    public short getShort(String column) {
        return getShort(columns.indexOf(column));
    }

    /** Returns the value of an int, or a smallint. */
    public int getInt(int column) {
        return present(column, Integer.class);
    }

    /** Does what {@link #getInt(int)} does, for the column with this name. */
    public int getInt(String column) {
        return getInt(columns.indexOf(column));
    }

    /** Returns the value of a bigint, or another integer. */
    public long getLong(int column) {
        return present(column, Long.class);
    }

    /** Does what {@link #getLong(int)} does, for the column with this name. */
    public long getLong(String column) {
        return getLong(columns.indexOf(column));
    }

    /** Returns the value of a real. */
    public float getFloat(int column) {
        return present(column, Float.class);
    }

    /** Does what {@link #getFloat(int)} does, for the column with this name. */
    public float getFloat(String column) {
        return getFloat(columns.indexOf(column));
    }

    /** Returns the value of a double precision, or a real. */
    public double getDouble(int column) {
        return present(column, Double.class);
    }

    /** Does what {@link #getDouble(int)} does, for the column with this name. */
    public double getDouble(String column) {
        return getDouble(columns.indexOf(column));
    }

    /** Returns the value of a numeric. */
    public BigDecimal getBigDecimal(int column) {
        return get(column, BigDecimal.class);
    }

    /** Does what {@link #getBigDecimal(int)} does, for the column with this name. */
    public BigDecimal getBigDecimal(String column) {
        return getBigDecimal(columns.indexOf(column));
    }

    /** Returns the value of a date. */
    public LocalDate getDate(int column) {
        return get(column, LocalDate.class);
    }

    /** Does what {@link #getDate(int)} does, for the column with this name. */
    public LocalDate getDate(String column) {
        return getDate(columns.indexOf(column));
    }

    /** Returns the value of a timestamp. */
    public LocalDateTime getTimestamp(int column) {
        return get(column, LocalDateTime.class);
    }

    /** Does what {@link #getTimestamp(int)} does, for the column with this name. */
    public LocalDateTime getTimestamp(String column) {
        return getTimestamp(columns.indexOf(column));
    }

    /** Returns a timestamp with time zone. */
    public Instant getInstant(int column) {
        return get(column, Instant.class);
    }

    /** Does what {@link #getInstant(int)} does, for the column with this name. */
    public Instant getInstant(String column) {
        return getInstant(columns.indexOf(column));
    }

    /** Returns the value of an interval. */
    public Interval getInterval(int column) {
        return get(column, Interval.class);
    }

    /** Does what {@link #getInterval(int)} does, for the column with this name. */
    public Interval getInterval(String column) {
        return getInterval(columns.indexOf(column));
    }

    /** Returns a time of day; 24:00:00, which LocalTime has not, is LocalTime.MAX. {@link #getText} says either. */
    public LocalTime getTime(int column) {
        return get(column, LocalTime.class);
    }

    /** Does what {@link #getTime(int)} does, for the column with this name. */
    public LocalTime getTime(String column) {
        return getTime(columns.indexOf(column));
    }

    /** Returns the value of a uuid. */
    public UUID getUuid(int column) {
        return get(column, UUID.class);
    }

    /** Does what {@link #getUuid(int)} does, for the column with this name. */
    public UUID getUuid(String column) {
        return getUuid(columns.indexOf(column));
    }

    /** Returns a char or varchar; a char(n) is padded with blanks to n bytes. */
    public String getString(int column) {
        return get(column, String.class);
    }

    /** Does what {@link #getString(int)} does, for the column with this name. */
    public String getString(String column) {
        return getString(columns.indexOf(column));
    }

    /** Any value as PostgreSQL would print it; null for NULL. */
    public String getText(int column) {
        Object value = value(column);
        return value == null ? null : ValueText.format(columns.list().get(column).type(), value);
    }

    /** Does what {@link #getText(int)} does, for the column with this name. */
    public String getText(String column) {
        return getText(columns.indexOf(column));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("(");
        for (int column = 0; column < values.length; column++) {
            text.append(column == 0 ? "" : ", ").append(isNull(column) ? "NULL" : getText(column));
        }
        return text.append(')').toString();
    }

    private Object value(int column) {
        if (column < 0 || column >= values.length) {
            throw new IndexOutOfBoundsException(
                    "column " + column + " of a row of " + values.length + " columns, counted from 0");
        }
        return values[column];
    }

    private <T> T present(int column, Class<T> type) {
        T value = get(column, type);
        if (value == null) {
            throw new NullPointerException(describe(column) + ": its value is NULL; ask isNull(), or use get()");
        }
        return value;
    }

    private static Object widen(Object value, Class<?> type) {
        if (value instanceof Float single) {
            return type == Double.class ? single.doubleValue() : null;
        }
        if (!(value instanceof Short || value instanceof Integer || value instanceof Long)) {
            return null;
        }
        long number = ((Number) value).longValue();
        if (type == Double.class) {
            return value instanceof Long ? null : (Object) (double) number;
        }
        if (type == BigDecimal.class) {
            return BigDecimal.valueOf(number);
        }
        if (type == Long.class) {
            return number;
        }
        return type == Integer.class && value instanceof Short ? (Object) (int) number : null;
    }

    /** Returns the getter that fits. */
    private static String natural(ColumnType.Kind kind) {
        return switch (kind) {
            case BOOL -> "getBoolean";
            case SMALLINT -> "getShort";
            case INT -> "getInt";
            case BIGINT -> "getLong";
            case REAL -> "getFloat";
            case DOUBLE -> "getDouble";
            case NUMERIC -> "getBigDecimal";
            case DATE -> "getDate";
            case TIMESTAMP -> "getTimestamp";
            case TIMESTAMPTZ -> "getInstant";
            case TIME -> "getTime";
            case UUID -> "getUuid";
            case CHAR, VARCHAR, TEXT -> "getString";
            case INTERVAL -> "getInterval";
        };
    }

    private String describe(int column) {
        ResultColumn known = columns.list().get(column);
        return "column \"" + known.name() + "\" is of type " + known.type();
    }
}
