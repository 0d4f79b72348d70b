package org.daedalus.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.Row;
import org.daedalus.client.WriteOutcome;
import org.daedalus.wire.ColumnType.Kind;

/**
 * For people: aligned columns, numbers to the right, then rows and latency. NULL is the word, an empty string is an
 * empty cell. Rows that are wider than the terminal are shown one column a line.
 */
public final class TableOutput extends TextOutput {
    /** This text stands for NULL unless the user wants something else. */
    public static final String NULL_TEXT = "NULL";

    /** Columns are as wide as the widest value among so many rows; later rows that are wider stand out. */
    private static final int WIDTH_ROWS_MAX = 1_000;
    /** Every terminal has so many columns. */
    private static final int NARROW = 40;
    private static final int FLUSH_SIZE = 1 << 14;

    private static final String INSERT = "insert";

    private final String nullText;
    private TextTable table;
    private ExpandedTable expanded;

    public TableOutput(PrintStream out, PrintStream err, Style style) {
        super(out, err, style);
        nullText = style.nullTextOr(NULL_TEXT);
    }

    @Override
    public void rows(Answer answer, Elapsed elapsed) {
        Iterator<String[]> rows = answer.rows();
        List<String[]> first = new ArrayList<>();
        while (first.size() < WIDTH_ROWS_MAX && rows.hasNext()) {
            first.add(withoutNull(rows.next()));
        }
        StringBuilder text = new StringBuilder();
        layOut(answer.columns(), first, text);
        for (String[] cells : first) {
            row(cells, text);
        }
        long count = first.size();
        while (rows.hasNext()) {
            row(withoutNull(rows.next()), text);
            count++;
            if (text.length() > FLUSH_SIZE && !flush(text)) {
                return;
            }
        }
        elapsed.stop();
        if (!style.tuplesOnly()) {
            text.append('(').append(StatementOutput.rows(count))
                    .append(style.timing() ? ", " + elapsed.ms() + " ms" : "").append(")\n");
        }
        flush(text);
    }

    /** Decides for the whole answer, by its first rows, how rows look. */
    private void layOut(List<ResultColumn> columns, List<String[]> first, StringBuilder text) {
        table = tableOf(columns);
        table.fit(first);
        boolean expands = switch (style.expanded()) {
            case ON -> true;
            case OFF -> false;
            case AUTO -> isTooWide(table.width());
        };
        if (expands && !first.isEmpty()) {
            expanded = new ExpandedTable(columns, style.tuplesOnly());
        } else {
            expanded = null;
            head(columns, text);
        }
    }

    private boolean isTooWide(int tableWidth) {
        if (tableWidth <= NARROW) {
            return false;
        }
        int width = style.width().getAsInt();
        return width > 0 && tableWidth > width;
    }

    @Override
    void head(List<ResultColumn> columns, StringBuilder text) {
        if (!style.tuplesOnly()) {
            table.renderHead(text);
        }
    }

    @Override
    void row(String[] cells, StringBuilder text) {
        if (expanded != null) {
            expanded.renderRow(cells, text);
        } else {
            table.renderRow(cells, text);
        }
    }

    @Override
    public void written(WriteOutcome outcome, Origin origin, Elapsed elapsed) {
        if (outcome.returned().isKnown()) {
            rows(Answer.of(outcome.returned()), elapsed);
        }
        out.println(effect(outcome, origin, style, elapsed));
        out.flush();
    }

    private static boolean isInsert(String sql) {
        return sql.stripLeading().regionMatches(true, 0, INSERT, 0, INSERT.length());
    }

    /** Says in words what an update did. */
    static String effect(WriteOutcome outcome, Origin origin, Style style, Elapsed elapsed) {
        StringBuilder text = new StringBuilder();
        if (outcome.countsForgotten()) {
            text.append("applied before; counts are not known any more");
        } else {
            text.append(isInsert(origin.sql()) ? StatementOutput.rows(outcome.applied()) + " inserted"
                    : StatementOutput.rows(outcome.matched()) + " matched, " + outcome.applied() + " applied");
            outcome.refused().forEach((reason, rows) ->
                    text.append(", ").append(rows).append(" refused (").append(reason.text()).append(')'));
        }
        if (outcome.returned().isAsked() && !outcome.returned().isKnown()) {
            text.append("; what RETURNING gives is not known");
        }
        text.append(" (timestamp ").append(outcome.timestamp());
        return text.append(style.timing() ? ", " + elapsed.ms() + " ms" : "").append(')').toString();
    }

    /** Returns a table with these columns' names; numbers to the right. */
    public static TextTable tableOf(List<ResultColumn> columns) {
        return new TextTable(columns.stream().map(ResultColumn::name).toArray(String[]::new),
                columns.stream().map(TableOutput::isRightAligned).toArray(Boolean[]::new));
    }

    static boolean isRightAligned(ResultColumn column) {
        Kind kind = column.type().kind();
        return kind.compareTo(Kind.SMALLINT) >= 0 && kind.compareTo(Kind.NUMERIC) <= 0;
    }

    /** A row as its table shows it. */
    public static String[] cells(Row row) {
        return withoutNull(Answer.cells(row), NULL_TEXT);
    }

    private String[] withoutNull(String[] cells) {
        return withoutNull(cells, nullText);
    }

    private static String[] withoutNull(String[] cells, String nullText) {
        for (int column = 0; column < cells.length; column++) {
            cells[column] = cells[column] == null ? nullText : cells[column];
        }
        return cells;
    }
}
