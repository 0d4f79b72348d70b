package org.daedalus.workload;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One statement on the tickets, for a client ({@code text} with $1, $2, … and {@code parameters}) or, by
 * {@link #toLiteralSql}, for any other database that replays it.
 *
 * @param text SQL with a placeholder for each parameter, in ascending order
 * @param parameters Boolean, Integer, Long, BigDecimal, String, LocalDate or LocalDateTime; never null
 */
public record SqlStatement(String text, List<Object> parameters) {
    private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

    /** Returns the parameters as the varargs that a client takes. */
    public Object[] parameterArray() {
        return parameters.toArray();
    }

    /** Writes the statement with literals for its parameters, on one line, without a semicolon. */
    public String toLiteralSql() {
        StringBuilder sql = new StringBuilder(text.length() + 16 * parameters.size());
        int at = 0;
        for (int parameter = 1; parameter <= parameters.size(); parameter++) {
            String placeholder = "$" + parameter;
            int place = text.indexOf(placeholder, at);
            sql.append(text, at, place).append(literal(parameters.get(parameter - 1)));
            at = place + placeholder.length();
        }
        return sql.append(text, at, text.length()).toString();
    }

    private static String literal(Object value) {
        if (value instanceof Number || value instanceof Boolean) {
            return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
        }
        String plain = value instanceof LocalDateTime time ? TIMESTAMP.format(time) : value.toString();
        return "'" + plain.replace("'", "''") + "'";
    }

    /** Puts statements together; placeholders are numbered as values come. */
    static final class Builder {
        private final StringBuilder text = new StringBuilder();
        private final List<Object> parameters = new ArrayList<>();

        Builder add(String sql) {
            text.append(sql);
            return this;
        }

        /** Adds a parameter; NULL is written out, because its type is that of its place. */
        Builder value(Object value) {
            if (value == null) {
                text.append("NULL");
            } else {
                parameters.add(value);
                text.append('$').append(parameters.size());
            }
            return this;
        }

        /** Adds a day, in days since 1970-01-01. */
        Builder date(int day) {
            return value(LocalDate.ofEpochDay(day));
        }

        /** Adds a timestamp in seconds since 1970-01-01. */
        Builder timestamp(long second) {
            return value(LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC));
        }

        SqlStatement build() {
            return new SqlStatement(text.toString(), Collections.unmodifiableList(parameters));
        }
    }
}
