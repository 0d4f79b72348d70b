package org.daedalus.output;

import java.io.PrintStream;
import java.util.Iterator;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.Row;
import org.daedalus.client.WriteOutcome;
import org.daedalus.wire.ColumnType;

/**
 * One object per statement, on one line: rows, an update's effect, an error, or both of an update that refused rows.
 * smallint, int, real and double precision are JSON numbers, except NaN and infinities, which are strings as all other
 * types are; so bigint and numeric stay exact. An answer is held whole until its end, so that an object is never half.
 */
public final class JsonOutput implements StatementOutput {
    private final PrintStream out;

    public JsonOutput(PrintStream out) {
        this.out = out;
    }

    @Override
    public void rows(Answer answer, Elapsed elapsed) {
        Json json = new Json().open('{');
        long count = answer(answer.columns(), answer.rows(), json);
        json.key("row_count").number(count);
        print(json.key("elapsed_ms").literal(elapsed.ms()).close('}'));
    }

    /** Adds the members "columns" and "rows" to an object that is open. */
    public static void answer(List<ResultColumn> columns, Iterable<Row> rows, Json json) {
        Iterator<Row> left = rows.iterator();
        answer(columns, new Iterator<String[]>() {
            @Override
            public boolean hasNext() {
                return left.hasNext();
            }

            @Override
            public String[] next() {
                return Answer.cells(left.next());
            }
        }, json);
    }

    /** Writes rows that are text already; returns how many rows there were. */
    private static long answer(List<ResultColumn> columns, Iterator<String[]> rows, Json json) {
        json.key("columns").open('[');
        for (ResultColumn column : columns) {
            json.open('{').key("name").string(column.name()).key("type").string(column.type().toString()).close('}');
        }
        json.close(']').key("rows").open('[');
        long count = 0;
        while (rows.hasNext()) {
            String[] cells = rows.next();
            json.open('[');
            for (int column = 0; column < cells.length; column++) {
                value(columns.get(column).type(), cells[column], json);
            }
            json.close(']');
            count++;
        }
        json.close(']');
        return count;
    }

    @Override
    public void written(WriteOutcome outcome, Origin origin, Elapsed elapsed) {
        print(effect(outcome, elapsed, new Json().open('{')).close('}'));
    }

    @Override
    public void writtenInPart(RefusedRowsException refusal, Origin origin, Elapsed elapsed) {
        print(effect(refusal.outcome(), elapsed, error(refusal, origin, new Json().open('{'))).close('}'));
    }

    @Override
    public void failed(DaedalusException failure, Origin origin) {
        print(error(failure, origin, new Json().open('{')).close('}'));
    }

    static Json effect(WriteOutcome outcome, Elapsed elapsed, Json json) {
        if (outcome.returned().isKnown()) {
            List<Row> rows = outcome.returned().rows();
            answer(outcome.returned().columns(), rows, json);
            json.key("row_count").number(rows.size());
        } else if (outcome.returned().isAsked()) {
            json.key("returned").literal("null");
        }
        json.key("timestamp").number(outcome.timestamp())
                .key("matched").number(outcome.matched()).key("applied").number(outcome.applied())
                .key("refused").open('[');
        outcome.refused().forEach((reason, rows) -> json.open('{')
                .key("reason").string(reason.text()).key("rows").number(rows).close('}'));
        json.close(']');
        if (outcome.countsForgotten()) {
            json.key("counts_forgotten").literal("true");
        }
        return json.key("elapsed_ms").literal(elapsed.ms());
    }

    private static Json error(DaedalusException failure, Origin origin, Json json) {
        json.key("error").open('{')
                .key("category").string(failure.category().name())
                .key("sqlstate").string(failure.sqlState())
                .key("message").string(failure.getMessage())
                .key("detail").string(failure.detail())
                .key("hint").string(failure.hint())
                .key("position").number(failure.position())
                .key("retry_after_ms").number(failure.retryAfter().toMillis())
                .key("missing").open('[');
        for (DaedalusException.Missing part : failure.missing()) {
            json.open('{').key("node").number(part.node()).key("partition").number(part.partition())
                    .key("reason").string(part.reason()).close('}');
        }
        json.close(']');
        if (origin.file() != null) {
            json.key("file").string(origin.file()).key("line").number(origin.line());
        }
        return json.close('}');
    }

    /** Adds a value that is given as text. */
    static void value(ColumnType type, String text, Json json) {
        if (text == null) {
            json.literal("null");
            return;
        }
        switch (type.kind()) {
            case BOOL -> json.literal(text.equals("t") ? "true" : "false");
            case SMALLINT, INT -> json.literal(text);
            case REAL, DOUBLE -> {
                if (Double.isFinite(Double.parseDouble(text))) {
                    json.literal(text);
                } else {
                    json.string(text);
                }
            }
            default -> json.string(text);
        }
    }

    private void print(Json json) {
        out.println(json);
        out.flush();
    }
}
