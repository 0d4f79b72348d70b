package org.daedalus.output;

import java.io.PrintStream;
import java.util.List;
import org.daedalus.client.ResultColumn;

/** Tables as GitHub's Markdown has them; numbers to the right. NULL is NULL, and a line end is {@code <br>}. */
public final class MarkdownOutput extends TextOutput {
    private final String nullText;

    public MarkdownOutput(PrintStream out, PrintStream err, Style style) {
        super(out, err, style);
        nullText = style.nullTextOr(TableOutput.NULL_TEXT);
    }

    @Override
    void head(List<ResultColumn> columns, StringBuilder text) {
        row(columns.stream().map(ResultColumn::name).toArray(String[]::new), text);
        for (ResultColumn column : columns) {
            text.append(TableOutput.isRightAligned(column) ? "| ---: " : "| --- ");
        }
        text.append("|\n");
    }

    @Override
    void row(String[] cells, StringBuilder text) {
        for (String cell : cells) {
            text.append("| ").append(cell == null ? nullText : field(cell)).append(' ');
        }
        text.append("|\n");
    }

    @Override
    void foot(long count, StringBuilder text) {
        text.append('\n'); // Without a blank line the next table would go on with this one.
    }

    private static String field(String value) {
        return value.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\r", "")
                .replace("\n", "<br>");
    }
}
