package org.daedalus.output;

import org.daedalus.client.DaedalusException;

/** A cluster's refusal as text for people: code, message, the place in the statement, what to do. */
public final class Errors {
    private static final int CONTEXT_MAX = 100;

    private Errors() {}

    /** Renders {@code failure} with the place that the statement comes from in front, where that has lines. */
    public static String renderAt(DaedalusException failure, Origin origin) {
        String place = origin.file() == null ? "" : origin.file() + ":" + origin.line() + ": ";
        return place + render(failure, origin.sql());
    }

    /** Renders {@code failure}; {@code sql} is the statement it is about, or null. */
    public static String render(DaedalusException failure, String sql) {
        StringBuilder text = new StringBuilder("ERROR ").append(failure.sqlState()).append(" (")
                .append(failure.category()).append("): ").append(failure.getMessage());
        if (sql != null && failure.position() > 0) {
            appendPlace(sql, failure.position(), text);
        }
        appendLine("DETAIL: ", failure.detail(), text);
        appendLine("HINT: ", failure.hint(), text);
        if (!failure.retryAfter().isZero()) {
            appendLine("HINT: ", "try again after " + failure.retryAfter().toMillis() + " ms", text);
        }
        for (DaedalusException.Missing part : failure.missing()) {
            String place = "node " + part.node() + ", partition " + part.partition();
            appendLine("MISSING: ", place + ": " + part.reason(), text);
        }
        return text.toString();
    }

    private static void appendLine(String label, String content, StringBuilder text) {
        if (!content.isEmpty()) {
            text.append('\n').append(label).append(content);
        }
    }

    /** Appends the line the position is in, and a mark under it. */
    private static void appendPlace(String sql, int position, StringBuilder text) {
        int characters = sql.codePointCount(0, sql.length());
        int at = sql.offsetByCodePoints(0, Math.min(position - 1, characters));
        int start = sql.lastIndexOf('\n', at - 1) + 1;
        int end = sql.indexOf('\n', at);
        end = end < 0 ? sql.length() : end;
        int from = Math.max(start, at - CONTEXT_MAX / 2);
        int to = Math.min(end, from + CONTEXT_MAX);
        long line = sql.substring(0, start).chars().filter(c -> c == '\n').count() + 1;
        String label = "LINE " + line + ": ";
        text.append('\n').append(label).append(DisplayWidth.printable(sql.substring(from, to))).append('\n')
                .append(" ".repeat(label.length() + DisplayWidth.of(DisplayWidth.printable(sql.substring(from, at)))))
                .append('^');
    }
}
