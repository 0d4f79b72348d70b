package org.daedalus.cli.sql;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Shows how the statements that are answered are written, for \h; and has their words, for completion. */
final class SqlHelp {
    static final String[] STATEMENTS = {"SELECT", "INSERT", "UPDATE", "DELETE", "DESCRIBE"};
    static final String[] KEYWORDS = {"SELECT", "FROM", "WHERE", "GROUP", "ORDER", "BY", "LIMIT", "OFFSET", "AND", "OR",
        "NOT", "IN", "BETWEEN", "LIKE", "ILIKE", "IS", "DISTINCT", "ANY", "ALL", "CASE", "WHEN", "THEN", "ELSE", "END",
        "CAST", "COALESCE", "NULLIF", "GREATEST", "LEAST", "EXTRACT", "INTERVAL", "HAVING", "FILTER",
        "NULL", "TRUE", "FALSE", "AS", "ASC", "DESC", "NULLS", "FIRST", "LAST",
        "INSERT", "INTO", "VALUES", "DEFAULT", "UPDATE", "SET", "DELETE", "DATE", "TIME", "TIMESTAMP", "CURRENT_DATE",
        "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "LOCALTIME", "DESCRIBE"};

    private static final Map<String, String> SYNTAX = new TreeMap<>(Map.of(
            "SELECT", """
                    SELECT * | column | aggregate [AS name], ...
                      FROM table [WHERE condition] [GROUP BY column, ...]
                      [ORDER BY column | position [ASC | DESC] [NULLS FIRST | LAST], ...] [LIMIT n] [OFFSET n]
                    aggregate: count(*), count(column), sum(column), min(column), max(column), avg(column)
                    condition: column = | <> | < | <= | > | >= value, column [NOT] BETWEEN value AND value,
                      column [NOT] IN (value, ...), column [NOT] LIKE 'prefix%', column IS [NOT] NULL,
                      any of them under AND, OR, NOT and ( )""",
            "INSERT", """
                    INSERT INTO table [(column, ...)] VALUES (value | DEFAULT, ...), ...""",
            "UPDATE", """
                    UPDATE table SET column = expression | DEFAULT, ... [WHERE condition]""",
            "DELETE", """
                    DELETE FROM table [WHERE condition]""",
            "DESCRIBE", """
                    DESCRIBE [table]
                    Columns, types, defaults and keys; the same as \\d."""));

    private SqlHelp() {}

    /** Shows how a statement is written; with a word that names none, says which ones there are. */
    static String about(String word) {
        String syntax = SYNTAX.get(word.toUpperCase(Locale.ROOT));
        return syntax != null ? syntax : "\\h with one of " + String.join(", ", SYNTAX.keySet())
                + " shows how it is written";
    }
}
