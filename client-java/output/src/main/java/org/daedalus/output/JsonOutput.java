package org.daedalus.output;

import java.io.PrintStream;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.ResultSet;
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
    public void rows(ResultSet rows, long startNs) {
        Json json = new Json().open('{');
        answer(rows.columns(), rows, json);
        json.key("row_count").number(rows.rowCount());
        print(json.key("elapsed_ms").literal(StatementOutput.elapsedMs(startNs)).close('}'));
    }

    /** Adds the members "columns" and "rows" to an object that is open. */
    public static void answer(List<ResultColumn> columns, Iterable<Row> rows, Json json) {
        json.key("columns").open('[');
        for (ResultColumn column : columns) {
            json.open('{').key("name").string(column.name()).key("type").string(column.type().toString()).close('}');
        }
        json.close(']').key("rows").open('[');
        for (Row row : rows) {
            json.open('[');
            for (int column = 0; column < row.size(); column++) {
                value(columns.get(column).type(), row, column, json);
            }
            json.close(']');
        }
        json.close(']');
    }

    @Override
    public void written(WriteOutcome outcome, long startNs) {
        print(effect(outcome, startNs, new Json().open('{')).close('}'));
    }

    @Override
    public void writtenInPart(RefusedRowsException refusal, String sql, long startNs) {
        print(effect(refusal.outcome(), startNs, error(refusal, new Json().open('{'))).close('}'));
    }

    @Override
    public void failed(DaedalusException failure, String sql) {
        print(error(failure, new Json().open('{')).close('}'));
    }

    private static Json effect(WriteOutcome outcome, long startNs, Json json) {
        json.key("timestamp").number(outcome.timestamp())
                .key("matched").number(outcome.matched()).key("applied").number(outcome.applied())
                .key("refused").open('[');
        outcome.refused().forEach((reason, rows) -> json.open('{')
                .key("reason").string(reason.text()).key("rows").number(rows).close('}'));
        json.close(']');
        if (outcome.countsForgotten()) {
            json.key("counts_forgotten").literal("true");
        }
        return json.key("elapsed_ms").literal(StatementOutput.elapsedMs(startNs));
    }

    private static Json error(DaedalusException failure, Json json) {
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
        return json.close(']').close('}');
    }

    private static void value(ColumnType type, Row row, int column, Json json) {
        if (row.isNull(column)) {
            json.literal("null");
            return;
        }
        String text = row.getText(column);
        switch (type.kind()) {
            case BOOL -> json.literal(row.getBoolean(column) ? "true" : "false");
            case SMALLINT, INT -> json.literal(text);
            case REAL, DOUBLE -> {
                if (Double.isFinite(row.getDouble(column))) {
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
