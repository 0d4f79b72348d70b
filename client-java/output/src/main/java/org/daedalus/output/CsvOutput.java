package org.daedalus.output;

import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;
import org.daedalus.client.ResultColumn;

/** RFC 4180 with a head; NULL is an empty field and the empty string is "". */
public final class CsvOutput extends TextOutput {
    private final String nullText;

    public CsvOutput(PrintStream out, PrintStream err, Style style) {
        super(out, err, style);
        nullText = style.nullTextOr("");
    }

    @Override
    void head(List<ResultColumn> columns, StringBuilder text) {
        if (!style.tuplesOnly()) {
            text.append(columns.stream().map(column -> field(column.name())).collect(Collectors.joining(",")))
                    .append('\n');
        }
    }

    @Override
    void row(String[] cells, StringBuilder text) {
        for (int column = 0; column < cells.length; column++) {
            text.append(column == 0 ? "" : ",").append(cells[column] == null ? nullText : notNull(cells[column]));
        }
        text.append('\n');
    }

    /** A value that reads like the text for NULL is quoted, so that it is none. */
    private String notNull(String value) {
        return value.equals(nullText) ? "\"" + value.replace("\"", "\"\"") + "\"" : field(value);
    }

    static String field(String value) {
        boolean quote = value.isEmpty() || value.startsWith(" ") || value.endsWith(" ");
        for (int i = 0; i < value.length() && !quote; i++) {
            char c = value.charAt(i);
            quote = c == ',' || c == '"' || c == '\n' || c == '\r';
        }
        return quote ? "\"" + value.replace("\"", "\"\"") + "\"" : value;
    }
}
