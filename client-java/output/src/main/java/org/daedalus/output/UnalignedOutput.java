package org.daedalus.output;

import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.WriteOutcome;

/**
 * Values as they are with | between them, as psql's -A prints them, for scripts; NULL is nothing. Expanded, each column
 * is a line of name and value, and a blank line is between rows.
 */
public final class UnalignedOutput extends TextOutput {
    private static final String SEPARATOR = "|";

    private final String nullText;
    private final boolean expanded;
    private List<ResultColumn> columns = List.of();
    private boolean first;

    public UnalignedOutput(PrintStream out, PrintStream err, Style style) {
        super(out, err, style);
        nullText = style.nullTextOr("");
        expanded = style.expanded() == Style.Expanded.ON;
    }

    @Override
    void head(List<ResultColumn> head, StringBuilder text) {
        columns = head;
        first = true;
        if (!style.tuplesOnly() && !expanded) {
            text.append(head.stream().map(ResultColumn::name).collect(Collectors.joining(SEPARATOR))).append('\n');
        }
    }

    @Override
    void row(String[] cells, StringBuilder text) {
        text.append(expanded && !first ? "\n" : "");
        first = false;
        for (int column = 0; column < cells.length; column++) {
            if (expanded) {
                text.append(columns.get(column).name()).append(SEPARATOR);
            } else {
                text.append(column == 0 ? "" : SEPARATOR);
            }
            text.append(cells[column] == null ? nullText : cells[column]).append(expanded ? "\n" : "");
        }
        text.append(expanded ? "" : "\n");
    }

    @Override
    void foot(long count, StringBuilder text) {
        if (!style.tuplesOnly() && !expanded) {
            text.append('(').append(StatementOutput.rows(count)).append(")\n");
        }
    }

    @Override
    public void written(WriteOutcome outcome, Origin origin, Elapsed elapsed) {
        if (outcome.returned().isKnown()) {
            rows(Answer.of(outcome.returned()), elapsed);
        }
        out.println(TableOutput.effect(outcome, origin, style, elapsed));
        out.flush();
    }
}
