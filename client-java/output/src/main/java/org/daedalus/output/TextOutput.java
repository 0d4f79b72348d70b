package org.daedalus.output;

import java.io.PrintStream;
import java.util.Iterator;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.WriteOutcome;
import org.daedalus.wire.ColumnType;

/**
 * Formats that print a head and then row after row as they come have this in common. An error, which goes to the error
 * stream, makes rows before it void. An update prints its counts as a row under a head of their own, or the rows of
 * RETURNING instead.
 */
abstract class TextOutput implements StatementOutput {
    private static final int FLUSH_SIZE = 1 << 14;
    private static final List<ResultColumn> EFFECT = List.of(count("timestamp"), count("matched"), count("applied"),
            count("refused"));

    final PrintStream out;
    final PrintStream err;
    final Style style;

    TextOutput(PrintStream out, PrintStream err, Style style) {
        this.out = out;
        this.err = err;
        this.style = style;
    }

    abstract void head(List<ResultColumn> columns, StringBuilder text);

    /** Writes one row, its line end included; a cell that is null is NULL. */
    abstract void row(String[] cells, StringBuilder text);

    /** Prints the foot behind the last of {@code count} rows. */
    void foot(long count, StringBuilder text) {
        // Most formats end with their last row.
    }

    @Override
    public void rows(Answer answer, Elapsed elapsed) {
        StringBuilder text = new StringBuilder();
        head(answer.columns(), text);
        long count = 0;
        Iterator<String[]> rows = answer.rows();
        while (rows.hasNext()) {
            row(rows.next(), text);
            count++;
            if (text.length() > FLUSH_SIZE && !flush(text)) {
                return;
            }
        }
        foot(count, text);
        flush(text);
    }

    /** Hands on what has been gathered; false: nobody reads it any more. */
    final boolean flush(StringBuilder text) {
        out.print(text);
        text.setLength(0);
        return !out.checkError();
    }

    @Override
    public void written(WriteOutcome outcome, Origin origin, Elapsed elapsed) {
        if (outcome.returned().isKnown()) {
            rows(Answer.of(outcome.returned()), elapsed);
            return;
        }
        StringBuilder text = new StringBuilder();
        head(EFFECT, text);
        row(new String[] {Long.toString(outcome.timestamp()), Long.toString(outcome.matched()),
            Long.toString(outcome.applied()), Long.toString(outcome.refusedRows())}, text);
        foot(1, text);
        flush(text);
    }

    @Override
    public void writtenInPart(RefusedRowsException refusal, Origin origin, Elapsed elapsed) {
        written(refusal.outcome(), origin, elapsed);
        failed(refusal, origin);
    }

    @Override
    public void failed(DaedalusException failure, Origin origin) {
        out.flush();
        err.println(Errors.renderAt(failure, origin));
        err.flush();
    }

    private static ResultColumn count(String name) {
        return new ResultColumn(name, ColumnType.of(ColumnType.Kind.BIGINT));
    }
}
