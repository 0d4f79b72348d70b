package org.daedalus.output;

import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.ResultSet;
import org.daedalus.client.Row;
import org.daedalus.client.WriteOutcome;

/**
 * RFC 4180 with a head; NULL is an empty field and the empty string is "". Rows are printed as they come: an error,
 * which goes to
 * the error stream, makes those before it void. An update prints its counts under a head of their own.
 */
public final class CsvOutput implements StatementOutput {
    private static final int FLUSH_SIZE = 1 << 14;

    private final PrintStream out;
    private final PrintStream err;

    public CsvOutput(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public void rows(ResultSet rows, long startNs) {
        List<ResultColumn> columns = rows.columns();
        StringBuilder text = new StringBuilder(
                columns.stream().map(column -> field(column.name())).collect(Collectors.joining(",")));
        text.append('\n');
        for (Row row : rows) {
            for (int column = 0; column < columns.size(); column++) {
                text.append(column == 0 ? "" : ",").append(row.isNull(column) ? "" : field(row.getText(column)));
            }
            text.append('\n');
            if (text.length() > FLUSH_SIZE) {
                out.print(text);
                text.setLength(0);
            }
        }
        out.print(text);
        out.flush();
    }

    @Override
    public void written(WriteOutcome outcome, long startNs) {
        out.println("timestamp,matched,applied,refused");
        out.println(outcome.timestamp() + "," + outcome.matched() + "," + outcome.applied() + ","
                + outcome.refusedRows());
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

    static String field(String value) {
        boolean quote = value.isEmpty() || value.startsWith(" ") || value.endsWith(" ");
        for (int i = 0; i < value.length() && !quote; i++) {
            char c = value.charAt(i);
            quote = c == ',' || c == '"' || c == '\n' || c == '\r';
        }
        return quote ? "\"" + value.replace("\"", "\"\"") + "\"" : value;
    }
}
