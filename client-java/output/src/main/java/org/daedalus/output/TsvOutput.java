package org.daedalus.output;

import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;
import org.daedalus.client.ResultColumn;

/**
 * Fields between tabs as PostgreSQL's COPY writes them, with a head: NULL is \N; backslash, tab and line ends within a
 * value are escaped, so that a line is a row.
 */
public final class TsvOutput extends TextOutput {
    private final String nullText;

    public TsvOutput(PrintStream out, PrintStream err, Style style) {
        super(out, err, style);
        nullText = style.nullTextOr("\\N");
    }

    @Override
    void head(List<ResultColumn> columns, StringBuilder text) {
        if (!style.tuplesOnly()) {
            text.append(columns.stream().map(column -> field(column.name())).collect(Collectors.joining("\t")))
                    .append('\n');
        }
    }

    @Override
    void row(String[] cells, StringBuilder text) {
        for (int column = 0; column < cells.length; column++) {
            text.append(column == 0 ? "" : "\t").append(cells[column] == null ? nullText : field(cells[column]));
        }
        text.append('\n');
    }

    private static String field(String value) {
        return value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
    }
}
