package org.daedalus.output;

/**
 * The place that a statement comes from, for messages about it.
 *
 * @param sql its text
 * @param file what it was read from; null: nothing that has lines
 * @param line the line in it that the statement begins in, counted from 1
 */
public record Origin(String sql, String file, int line) {
    public static Origin of(String sql) {
        return new Origin(sql, null, 0);
    }
}
