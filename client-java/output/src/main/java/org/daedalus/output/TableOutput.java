package org.daedalus.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.ResultSet;
import org.daedalus.client.Row;
import org.daedalus.client.WriteOutcome;
import org.daedalus.wire.ColumnType.Kind;

/** For people: aligned columns, numbers to the right, then rows and latency. NULL is an empty cell. */
public final class TableOutput implements StatementOutput {
    /** Columns are as wide as the widest value among so many rows; later rows that are wider stand out. */
    private static final int WIDTH_ROWS_MAX = 1_000;

    private final PrintStream out;
    private final PrintStream err;

    public TableOutput(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public void rows(ResultSet rows, long startNs) {
        List<ResultColumn> columns = rows.columns();
        Iterator<Row> iterator = rows.iterator();
        List<String[]> first = new ArrayList<>();
        while (first.size() < WIDTH_ROWS_MAX && iterator.hasNext()) {
            first.add(cells(iterator.next()));
        }
        TextTable table = tableOf(columns);
        StringBuilder text = new StringBuilder();
        table.render(first, text);
        out.print(text);
        while (iterator.hasNext()) {
            text.setLength(0);
            table.renderRow(cells(iterator.next()), text);
            out.print(text);
        }
        long count = rows.rowCount();
        out.println("(" + count + (count == 1 ? " row, " : " rows, ") + StatementOutput.elapsedMs(startNs) + " ms)");
        out.flush();
    }

    @Override
    public void written(WriteOutcome outcome, long startNs) {
        StringBuilder text = new StringBuilder();
        if (outcome.countsForgotten()) {
            text.append("applied before; counts are not known any more");
        } else {
            text.append(outcome.matched()).append(" rows matched, ").append(outcome.applied()).append(" applied");
            outcome.refused().forEach((reason, rows) ->
                    text.append(", ").append(rows).append(" refused (").append(reason.text()).append(')'));
        }
        out.println(text + " (timestamp " + outcome.timestamp() + ", " + StatementOutput.elapsedMs(startNs) + " ms)");
        out.flush();
    }

    @Override
    public void writtenInPart(RefusedRowsException refusal, String sql, long startNs) {
        written(refusal.outcome(), startNs);
        failed(refusal, sql);
    }

    @Override
    public void failed(DaedalusException failure, String sql) {
        err.println(Errors.render(failure, sql));
        err.flush();
    }

    /** A table with these columns' names; numbers to the right. */
    public static TextTable tableOf(List<ResultColumn> columns) {
        return new TextTable(columns.stream().map(ResultColumn::name).toArray(String[]::new),
                columns.stream().map(TableOutput::isRightAligned).toArray(Boolean[]::new));
    }

    private static boolean isRightAligned(ResultColumn column) {
        Kind kind = column.type().kind();
        return kind.compareTo(Kind.SMALLINT) >= 0 && kind.compareTo(Kind.NUMERIC) <= 0;
    }

    /** A row as its table shows it. */
    public static String[] cells(Row row) {
        String[] cells = new String[row.size()];
        for (int column = 0; column < cells.length; column++) {
            cells[column] = row.isNull(column) ? "" : row.getText(column);
        }
        return cells;
    }
}
