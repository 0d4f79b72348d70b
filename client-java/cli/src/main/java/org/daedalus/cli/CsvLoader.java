package org.daedalus.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RowBatch;
import org.daedalus.client.TableDescription;
import org.daedalus.client.ValueException;
import org.daedalus.client.ValueText;
import org.daedalus.client.WriteOutcome;
import org.daedalus.output.Errors;
import org.daedalus.output.TableOutput;
import org.daedalus.wire.PackedRows;

/**
 * Turns CSV records into batches and keeps a bounded number of them on their way. Decides what is NULL, when a batch
 * is complete, and
 * when a refused batch is sent again.
 */
final class CsvLoader {
    private static final int IN_FLIGHT_MAX = 32;
    private static final long IN_FLIGHT_BYTES_MAX = 8L << 20;
    private static final int UPDATE_BYTES_DEFAULT = 4 << 20;
    /** Room for what surrounds the rows in an update. */
    private static final int UPDATE_OVERHEAD = 64 << 10;
    private static final long RETRY_MIN_NS = 20_000_000L;
    private static final long RETRY_MAX_NS = Duration.ofSeconds(60).toNanos();

    /**
     * What came of it.
     *
     * @param rowsIn rows that were confirmed
     * @param rowsUnknown rows of batches that may or may not be in
     * @param problem why not all rows are in; null when they are
     */
    record Summary(long rowsIn, long rowsUnknown, String problem) {}

    private record Sent(RowBatch batch, long firstLine, CompletableFuture<WriteOutcome> answer) {}

    private final DaedalusClient client;
    private final TableDescription table;
    private final String nullText;
    private final int batchRows;
    private final int batchBytes;
    private final int rowSizeMax;
    private final Deque<Sent> inFlight = new ArrayDeque<>();
    private long inFlightBytes;
    private int[] targets = {};
    private Object[] defaults = {};
    private long rowsIn;
    private long rowsUnknown;
    private String problem;

    CsvLoader(DaedalusClient client, TableDescription table, String nullText, int batchRows) {
        this.client = client;
        this.table = table;
        this.nullText = nullText;
        this.batchRows = batchRows;
        int declared = table.reply().getLimits().getUpdateBytesMax();
        this.rowSizeMax = PackedRows.sizeMax(table.types());
        this.batchBytes = Math.max(1, (declared > 0 ? declared : UPDATE_BYTES_DEFAULT) - UPDATE_OVERHEAD);
    }

    /** Loads everything up to the first problem and waits for all that was sent. */
    Summary load(CsvReader csv) throws IOException {
        try {
            problem = readHeader(csv);
            if (problem == null) {
                sendAll(csv);
            }
        } catch (CsvReader.MalformedException e) {
            setProblem("line " + e.line() + ", " + e.getMessage());
        }
        while (!inFlight.isEmpty()) {
            settleOldest();
        }
        return new Summary(rowsIn, rowsUnknown, problem);
    }

    /** Finds the columns that the header names; what is wrong with it, or null. */
    private String readHeader(CsvReader csv) throws IOException, CsvReader.MalformedException {
        if (!csv.next()) {
            return "the file is empty: a header is missing";
        }
        targets = new int[csv.fieldCount()];
        boolean[] named = new boolean[table.columns().size()];
        for (int field = 0; field < targets.length; field++) {
            String name = csv.field(field);
            Integer column = table.find(name.strip()).orElse(null);
            if (column == null) {
                return "line 1, column " + (field + 1) + ": table \"" + table.tableName() + "\" has no column \"" + name
                        + "\"";
            }
            if (named[column]) {
                return "line 1, column " + (field + 1) + ": \"" + name + "\" is named twice";
            }
            named[column] = true;
            targets[field] = column;
        }
        defaults = new Object[named.length];
        for (int column = 0; column < named.length; column++) {
            TableDescription.Column described = table.columns().get(column);
            defaults[column] = named[column] ? null : described.defaultValue();
            if (!named[column] && !described.nullable() && described.defaultValue() == null) {
                return "line 1: column \"" + described.name() + "\" is missing: it is NOT NULL and has no default";
            }
        }
        return null;
    }

    private void sendAll(CsvReader csv) throws IOException, CsvReader.MalformedException {
        RowBatch batch = client.rowBatch(table);
        long firstLine = 0;
        while (problem == null && csv.next()) {
            firstLine = batch.rowCount() == 0 ? csv.line() : firstLine;
            Object[] values = readRow(csv);
            if (values == null) {
                return;
            }
            batch.add(values);
            if (batch.rowCount() >= batchRows || batch.sizeBytes() + rowSizeMax > batchBytes) {
                send(batch, firstLine);
                batch = client.rowBatch(table);
            }
        }
        if (problem == null && batch.rowCount() > 0) {
            send(batch, firstLine);
        }
    }

    /** One record's values, or null when it is bad; the problem says why then. */
    private Object[] readRow(CsvReader csv) {
        if (csv.fieldCount() != targets.length) {
            setProblem("line " + csv.line() + ": " + csv.fieldCount() + " fields, but the header has "
                    + targets.length);
            return null;
        }
        Object[] values = defaults.clone();
        for (int field = 0; field < targets.length; field++) {
            TableDescription.Column column = table.columns().get(targets[field]);
            String text = csv.field(field);
            boolean isNull = !csv.isQuoted(field) && (text.isEmpty() || text.equals(nullText));
            if (isNull && !column.nullable()) {
                setProblem(place(csv, field, column) + "NULL in a column that is NOT NULL [23502]");
                return null;
            }
            try {
                values[targets[field]] = isNull ? null : ValueText.parse(column.type(), text);
            } catch (ValueException e) {
                setProblem(place(csv, field, column) + e.getMessage() + " [" + e.sqlState() + "]");
                return null;
            }
        }
        return values;
    }

    private static String place(CsvReader csv, int field, TableDescription.Column column) {
        return "line " + csv.line() + ", column " + (field + 1) + " (" + column.name() + "): ";
    }

    private void send(RowBatch batch, long firstLine) {
        while (!inFlight.isEmpty()
                && (inFlight.size() >= IN_FLIGHT_MAX || inFlightBytes + batch.sizeBytes() > IN_FLIGHT_BYTES_MAX)) {
            settleOldest();
        }
        if (problem == null) {
            inFlight.add(new Sent(batch, firstLine, batch.executeAsync()));
            inFlightBytes += batch.sizeBytes();
        }
    }

    /** Waits for the oldest batch's answer; repeats it while the cluster says that it is only busy. */
    private void settleOldest() {
        Sent sent = inFlight.remove();
        inFlightBytes -= sent.batch.sizeBytes();
        long endNs = System.nanoTime() + RETRY_MAX_NS;
        CompletableFuture<WriteOutcome> answer = sent.answer;
        while (true) {
            try {
                settle(sent, client.await(answer));
                return;
            } catch (DaedalusException e) {
                boolean unreachable = e.sqlState().equals("08001");
                if (e.category() != Category.RETRY || unreachable || System.nanoTime() > endNs) {
                    rowsUnknown += e.category() == Category.UNKNOWN ? sent.batch.rowCount() : 0;
                    setProblem("the batch from line " + sent.firstLine + " on: " + Errors.render(e, null));
                    return;
                }
                pause(Math.max(RETRY_MIN_NS, e.retryAfter().toNanos()));
                answer = sent.batch.executeAsync();
            }
        }
    }

    private void settle(Sent sent, WriteOutcome outcome) {
        rowsIn += outcome.countsForgotten() ? sent.batch.rowCount() : outcome.applied();
        outcome.refused().forEach((reason, rows) -> setProblem("the batch from line " + sent.firstLine + " on: "
                + rows + " of " + sent.batch.rowCount() + " rows were refused: " + TableOutput.describe(reason)
                + (reason == WriteOutcome.Refusal.NO_ROOM ? " (a segment is full)" : "")));
    }

    private void setProblem(String text) {
        problem = problem == null ? text : problem;
    }

    private static void pause(long ns) {
        try {
            TimeUnit.NANOSECONDS.sleep(ns);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
