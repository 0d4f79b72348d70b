package org.daedalus.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.daedalus.client.internal.statements.SqlText;

/**
 * A condition on rows, with SQL's three-valued logic. Made by the static methods, joined by {@link #and}, {@link #or}
 * and
 * {@link #not}. Values are Java values; text and dates take the column's type.
 */
public final class Condition {
    private static final char ESCAPE = '\\';

    private final Consumer<SqlText> writer;

    private Condition(Consumer<SqlText> writer) {
        this.writer = writer;
    }

    /** The column has this value. Nothing equals null: that is {@link #isNull}. */
    public static Condition eq(String column, Object value) {
        return compare(column, " = ", value);
    }

    /** The column has another value; NULL is none. */
    public static Condition ne(String column, Object value) {
        return compare(column, " <> ", value);
    }

    /** The column's value comes before this one. */
    public static Condition lt(String column, Object value) {
        return compare(column, " < ", value);
    }

    /** The column's value is this one or comes before it. */
    public static Condition le(String column, Object value) {
        return compare(column, " <= ", value);
    }

    /** The column's value comes behind this one. */
    public static Condition gt(String column, Object value) {
        return compare(column, " > ", value);
    }

    /** The column's value is this one or comes behind it. */
    public static Condition ge(String column, Object value) {
        return compare(column, " >= ", value);
    }

    /** Both ends included. */
    public static Condition between(String column, Object low, Object high) {
        return new Condition(sql ->
                sql.addColumn(column).add(" BETWEEN ").addParameter(low).add(" AND ").addParameter(high));
    }

    /** The column has one of these values; at least one. */
    public static Condition in(String column, Object... values) {
        return in(column, Arrays.asList(values));
    }

    /** Takes rows whose column has one of these values, of which there must be one. */
    public static Condition in(String column, Collection<?> values) {
        List<Object> copy = new ArrayList<>(values);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException("in(\"" + column + "\") needs at least one value");
        }
        return new Condition(sql -> {
            sql.addColumn(column).add(" IN (");
            for (int i = 0; i < copy.size(); i++) {
                sql.add(i == 0 ? "" : ", ").addParameter(copy.get(i));
            }
            sql.add(")");
        });
    }

    /**
     * SQL's LIKE. The cluster answers patterns that are a text followed by %, and refuses others; to look for text that
     * somebody typed, use {@link #startsWith}, in which nothing is a wildcard.
     */
    public static Condition like(String column, String pattern) {
        return new Condition(sql -> sql.addColumn(column).add(" LIKE ").addParameter(pattern));
    }

    /** The column's text starts with exactly {@code prefix}, which has no wildcards. */
    public static Condition startsWith(String column, String prefix) {
        StringBuilder pattern = new StringBuilder();
        for (char c : prefix.toCharArray()) {
            if (c == '%' || c == '_' || c == ESCAPE) {
                pattern.append(ESCAPE);
            }
            pattern.append(c);
        }
        String like = pattern.append('%').toString();
        return new Condition(sql -> sql.addColumn(column).add(" LIKE ").addParameter(like));
    }

    /** The column has no value. */
    public static Condition isNull(String column) {
        return new Condition(sql -> sql.addColumn(column).add(" IS NULL"));
    }

    /** The column has a value. */
    public static Condition isNotNull(String column) {
        return new Condition(sql -> sql.addColumn(column).add(" IS NOT NULL"));
    }

    /** Requires all of the conditions, of which there must be one. */
    public static Condition and(Condition... conditions) {
        return join(" AND ", List.of(conditions));
    }

    /** Requires one of the conditions, of which there must be one. */
    public static Condition or(Condition... conditions) {
        return join(" OR ", List.of(conditions));
    }

    /** The condition is false; where it is neither true nor false, so is this. */
    public static Condition not(Condition condition) {
        return new Condition(sql -> {
            sql.add("NOT (");
            condition.write(sql);
            sql.add(")");
        });
    }

    void write(SqlText sql) {
        writer.accept(sql);
    }

    static void writeWhere(List<Condition> conditions, SqlText sql) {
        if (!conditions.isEmpty()) {
            sql.add(" WHERE ");
            join(" AND ", conditions).write(sql);
        }
    }

    private static Condition compare(String column, String operator, Object value) {
        return new Condition(sql -> sql.addColumn(column).add(operator).addParameter(value));
    }

    private static Condition join(String operator, List<Condition> conditions) {
        if (conditions.isEmpty()) {
            throw new IllegalArgumentException("and() and or() need at least one condition");
        }
        return new Condition(sql -> {
            for (int i = 0; i < conditions.size(); i++) {
                sql.add(i == 0 ? "(" : operator + "(");
                conditions.get(i).write(sql);
                sql.add(")");
            }
        });
    }
}
