package org.daedalus.demo;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.ResultSet;
import org.daedalus.client.Row;
import org.daedalus.output.Json;
import org.daedalus.output.JsonOutput;
import org.daedalus.output.TableOutput;

/**
 * Asks the operations desk's questions between two changes, shows statement, answer, rows and latency, and records each
 * answer as one JSON object a line, with the last change it saw.
 */
final class Desk implements Closeable {
    private final DaedalusClient client;
    private final ChangeFlow changes;
    private final PrintStream out;
    private final BufferedWriter record;
    private double slowestMs;
    private int asked;

    Desk(DaedalusClient client, ChangeFlow changes, PrintStream out, Path record) throws IOException {
        this.client = client;
        this.changes = changes;
        this.out = out;
        this.record = Files.newBufferedWriter(record);
    }

    /** Returns the answer's rows. The latency is from sending the statement to its last row. */
    List<Row> ask(Question question) throws IOException {
        long after = changes.hold();
        long startNs = System.nanoTime();
        ResultSet answer = (ResultSet) client.statement(question.sql()).atLeast(after).execute();
        List<Row> rows = answer.toList();
        double ms = (System.nanoTime() - startNs) / 1e6;
        Set<Long> seen = new TreeSet<>();
        answer.stamps().forEach(stamp -> seen.add(stamp.applied()));
        changes.goOn();
        slowestMs = Math.max(slowestMs, ms);
        asked++;
        show(question, answer.columns(), rows, ms);
        write(question, answer.columns(), rows, after, seen, ms);
        return rows;
    }

    double slowestMs() {
        return slowestMs;
    }

    int asked() {
        return asked;
    }

    @Override
    public void close() throws IOException {
        record.close();
    }

    private void show(Question question, List<ResultColumn> columns, List<Row> rows, double ms) {
        StringBuilder text = new StringBuilder("\n").append(question.title()).append("\n  ").append(question.sql())
                .append('\n');
        TableOutput.tableOf(columns).render(rows.stream().map(TableOutput::cells).toList(), text);
        out.print(text);
        out.printf("(%d %s, %.2f ms)%n", rows.size(), rows.size() == 1 ? "row" : "rows", ms);
    }

    private void write(Question question, List<ResultColumn> columns, List<Row> rows, long after, Set<Long> seen,
            double ms) throws IOException {
        Json json = new Json().open('{').key("title").string(question.title()).key("sql").string(question.sql())
                .key("after").number(after).key("prefixes").open('[');
        seen.forEach(json::number);
        json.close(']').key("elapsed_ms").literal(Double.toString(ms));
        JsonOutput.answer(columns, rows, json);
        record.write(json.close('}') + "\n");
    }
}
