package org.daedalus.client.internal.statements;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Locale;
import org.daedalus.client.TableDescription;

/** SQL text that grows together with its parameters, for one table. */
public final class SqlText {
    private final TableDescription table;
    private final StringBuilder text = new StringBuilder();
    private final ParameterBytes parameters = new ParameterBytes();
    private int parameterCount;

    public SqlText(TableDescription table) {
        this.table = table;
    }

    public SqlText add(String sql) {
        text.append(sql);
        return this;
    }

    public SqlText addTable() {
        return add(quote(table.tableName()));
    }

    /**
     * Returns the column under its exact name; a name that the table does not have is passed on for the cluster to
     * refuse.
     */
    public SqlText addColumn(String name) {
        return add(quote(table.find(name).map(index -> table.columns().get(index).name()).orElse(name)));
    }

    public SqlText addColumns(List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            add(i == 0 ? "" : ", ").addColumn(names.get(i));
        }
        return this;
    }

    public SqlText addParameter(Object value) {
        parameters.add(value);
        return add("$" + ++parameterCount);
    }

    public String text() {
        return text.toString();
    }

    /** Returns the parameters as fields of a StatementBody; none can be added any more. */
    public ByteString parameters() {
        return parameters.toByteString();
    }

    /** Returns an identifier in double quotes. */
    public static String quote(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    /** Says whether the statement can only read: it starts with SELECT, after blanks, comments and parentheses. */
    static boolean isQuery(String sql) {
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (Character.isWhitespace(c) || c == '(') {
                at++;
            } else if (sql.startsWith("--", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end;
            } else if (sql.startsWith("/*", at)) {
                at = endOfComment(sql, at);
            } else {
                break;
            }
        }
        String keyword = "select";
        int end = Math.min(sql.length(), at + keyword.length());
        return sql.substring(at, end).toLowerCase(Locale.ROOT).equals(keyword)
                && (end == sql.length() || !Character.isJavaIdentifierPart(sql.charAt(end)));
    }

    /** Returns where the comment that starts at {@code from}, with those nested in it, ends. */
    private static int endOfComment(String sql, int from) {
        int depth = 0;
        int at = from;
        while (at < sql.length()) {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
                if (depth == 0) {
                    return at;
                }
            } else {
                at++;
            }
        }
        return at;
    }
}
