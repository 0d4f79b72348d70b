package org.daedalus.client;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;

/**
 * One row of an answer. Columns are counted from 0. A getter for NULL returns null or, where it returns a primitive,
 * throws
 * NullPointerException; a getter of another type than the column's throws ClassCastException, except that integers
 * widen.
 */
public final class Row {
    private final ResultColumns columns;
    private final Object[] values;

    Row(ResultColumns columns, Object[] values) {
        this.columns = columns;
        this.values = values;
    }

    public List<ResultColumn> columns() {
        return columns.list();
    }

    public int size() {
        return values.length;
    }

    public boolean isNull(int column) {
        return values[column] == null;
    }

    public boolean isNull(String column) {
        return isNull(columns.indexOf(column));
    }

    /**
     * The value in its natural class: Boolean, Short, Integer, Long, Float, Double, BigDecimal, LocalDate,
     * LocalDateTime or
     * String; null for NULL.
     */
    public Object getObject(int column) {
        return values[column];
    }

    public Object getObject(String column) {
        return getObject(columns.indexOf(column));
    }

    public boolean getBoolean(int column) {
        return (Boolean) values[column];
    }

    public boolean getBoolean(String column) {
        return getBoolean(columns.indexOf(column));
    }

    public int getInt(int column) {
        return values[column] instanceof Short small ? small : (Integer) values[column];
    }

    public int getInt(String column) {
        return getInt(columns.indexOf(column));
    }

    public long getLong(int column) {
        return values[column] instanceof Long large ? large : getInt(column);
    }

    public long getLong(String column) {
        return getLong(columns.indexOf(column));
    }

    public double getDouble(int column) {
        return values[column] instanceof Float small ? small : (Double) values[column];
    }

    public double getDouble(String column) {
        return getDouble(columns.indexOf(column));
    }

    public BigDecimal getBigDecimal(int column) {
        Object value = values[column];
        return value == null || value instanceof BigDecimal ? (BigDecimal) value : BigDecimal.valueOf(getLong(column));
    }

    public BigDecimal getBigDecimal(String column) {
        return getBigDecimal(columns.indexOf(column));
    }

    public LocalDate getDate(int column) {
        return (LocalDate) values[column];
    }

    public LocalDate getDate(String column) {
        return getDate(columns.indexOf(column));
    }

    public LocalDateTime getTimestamp(int column) {
        return (LocalDateTime) values[column];
    }

    public LocalDateTime getTimestamp(String column) {
        return getTimestamp(columns.indexOf(column));
    }

    /** A char or varchar; a char(n) is padded with blanks to n bytes. */
    public String getString(int column) {
        return (String) values[column];
    }

    public String getString(String column) {
        return getString(columns.indexOf(column));
    }

    /** Any value as PostgreSQL would print it; null for NULL. */
    public String getText(int column) {
        return values[column] == null ? null : ValueText.format(columns.list().get(column).type(), values[column]);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("(");
        for (int column = 0; column < values.length; column++) {
            text.append(column == 0 ? "" : ", ").append(isNull(column) ? "NULL" : getText(column));
        }
        return text.append(')').toString();
    }
}
