package org.daedalus.cli.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.daedalus.cli.CliException;
import org.daedalus.cli.Retries;
import org.daedalus.client.BadFieldException;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.RowBatch;
import org.daedalus.client.RowPacker;
import org.daedalus.client.SubmissionName;
import org.daedalus.client.TableDescription;
import org.daedalus.client.WriteOutcome;
import org.daedalus.output.Errors;
import org.daedalus.wire.PackedRows;

/**
 * Turns records into batches, keeps a bounded number of them on their way, and keeps its {@link LoadState} such that
 * another process can go on: what a batch consists of depends on the file and the place where it starts alone, a batch
 * is announced before it is sent, and it is settled when all before it are and it is confirmed.
 */
final class CsvLoader {
    private static final int IN_FLIGHT_MAX = 32;
    private static final long IN_FLIGHT_BYTES_MAX = 8L << 20;
    private static final int UPDATE_BYTES_DEFAULT = 4 << 20;
    /** Room for what surrounds the rows in an update. */
    private static final int UPDATE_OVERHEAD = 64 << 10;
    /**
     * Batches between two probes: few enough that a writer which remembers 65,536 submissions remembers the last probe
     * for long, many enough that the pause each causes does not show.
     */
    private static final int PROBE_INTERVAL = 4_096;
    private static final long FIRST_PROBE = 1L << 62;

    /**
     * The result of a load.
     *
     * @param rowsIn rows that were confirmed, by earlier runs, too
     * @param rowsUnknown rows of batches that may or may not be in
     * @param rowsRefused rows for which there was no room, in batches that are in otherwise
     * @param problem why not all rows are in; null when they are
     * @param isLost rows were refused after their batch had been taken: no other run can go on
     */
    record Summary(long rowsIn, long rowsAside, long rowsUnknown, long rowsRefused, String problem,
            boolean isLost) {}

    /** A load depends on these beside the file; {@code rejects} may be null: then a bad line ends the load. */
    record Setup(CsvHeader header, CsvFormat format, String nullText, int batchRows, long fromLine,
            RejectFile rejects) {}

    private record Sent(RowBatch batch, long number, long firstLine, RecordSource.Place end, long rowsAside,
            long rejectSize, CompletableFuture<WriteOutcome> answer) {}

    private final DaedalusClient client;
    private final TableDescription table;
    private final Setup setup;
    private final LoadProgress progress;
    private final LoadState state;
    private final RowPacker packer;
    private final FieldForms forms;
    private final int batchBytes;
    private final int rowSizeMax;
    private final Deque<Sent> inFlight = new ArrayDeque<>();
    private long inFlightBytes;
    private long lastNumber;
    private long rowsIn;
    private long rowsAside;
    private long rowsUnknown;
    private long rowsRefused;
    /** All batches so far are settled or may still become so. */
    private boolean isWhole = true;
    private String problem;
    /** Blank lines that nothing has followed so far. */
    private long blankLines;
    private long firstBlankLine;
    /** This is the state's own, for other threads. */
    private volatile LoadState.Settled settled;

    CsvLoader(DaedalusClient client, TableDescription table, Setup setup, LoadProgress progress) {
        this.client = client;
        this.table = table;
        this.setup = setup;
        this.progress = progress;
        this.state = progress.state();
        this.packer = setup.header().packer(setup.nullText());
        this.forms = new FieldForms(setup.header(), setup.format(), setup.nullText());
        this.lastNumber = state.settled.batches();
        this.rowsIn = state.settled.rowsIn();
        this.rowsAside = state.settled.rowsAside();
        this.settled = state.settled;
        int declared = table.limits().updateBytesMax();
        this.rowSizeMax = PackedRows.sizeMax(table.types());
        this.batchBytes = Math.max(1, (declared > 0 ? declared : UPDATE_BYTES_DEFAULT) - UPDATE_OVERHEAD);
    }

    /** Loads everything up to the first problem and waits for all that was sent. */
    Summary load(RecordSource records) throws IOException, CliException {
        try {
            sendAll(records);
        } finally {
            settleDownTo(0);
            keep();
        }
        if (problem == null) {
            state.settled = new LoadState.Settled(records.nextPlace(), lastNumber, rowsIn, rowsAside, rejectSize());
            state.sent = new LoadState.Sent(lastNumber, records.nextPlace().offset(), records.checksum());
            state.phase = LoadState.Phase.COMPLETE;
            keep();
        }
        return new Summary(rowsIn, rowsAside, rowsUnknown, rowsRefused, problem,
                state.phase == LoadState.Phase.BROKEN);
    }

    private void sendAll(RecordSource records) throws IOException, CliException {
        RowBatch batch = client.rowBatch(table);
        long firstLine = 0;
        while (problem == null && moveOn(records)) {
            if (records.line() < setup.fromLine() || isBlank(records)) {
                continue;
            }
            onBlankLinesBetween();
            if (problem != null) {
                break;
            }
            firstLine = batch.rowCount() == 0 ? records.line() : firstLine;
            add(records, batch);
            if (batch.rowCount() >= setup.batchRows() || batch.sizeBytes() + rowSizeMax > batchBytes) {
                send(batch, firstLine, records);
                batch = client.rowBatch(table);
            }
        }
        if (problem == null && batch.rowCount() > 0) {
            send(batch, firstLine, records);
        }
    }

    private boolean moveOn(RecordSource records) {
        try {
            return records.next();
        } catch (IOException e) {
            setProblem("cannot read on after line " + (records.nextPlace().line() - 1) + ": " + LoadSource.reason(e));
            return false;
        }
    }

    /** A blank line at the end of a file is nothing; where there is but one column it is a row, whose value is NULL. */
    private boolean isBlank(RecordSource records) {
        if (setup.header().targets().length == 1 || !records.isBlank()) {
            return false;
        }
        firstBlankLine = blankLines == 0 ? records.line() : firstBlankLine;
        blankLines++;
        return true;
    }

    /** Something stands after blank lines: they are bad ones. */
    private void onBlankLinesBetween() throws IOException, CliException {
        for (long line = firstBlankLine; blankLines > 0 && problem == null; line++, blankLines--) {
            onBad(line, "", "", "a blank line", new byte[0]);
        }
    }

    /** Returns the settled position: all before it is in, or set aside. Any thread may call it. */
    LoadState.Settled settled() {
        return settled;
    }

    private void add(RecordSource records, RowBatch batch) throws IOException, CliException {
        if (records.problem() != null) {
            onBad(records, records.fields().fieldCount(), records.problem());
            return;
        }
        int expected = setup.header().targets().length;
        if (records.fields().fieldCount() == expected + 1 && records.fields().endsInNothing()) {
            records.fields().leaveOutLast(); // A delimiter ends every line.
        }
        if (records.fields().fieldCount() != expected) {
            onBad(records, -1, records.fields().fieldCount() + " fields, but the header has " + expected);
            return;
        }
        int unlike = forms.read(records.fields());
        if (unlike != FieldForms.ALL_RIGHT) {
            onBad(records, unlike, forms.problem());
            return;
        }
        try {
            packer.pack(forms, batch);
        } catch (BadFieldException e) {
            Utf8Fault fault =
                    e.sqlState().equals("22021") ? Utf8Fault.find(records.raw(), records.line()) : null;
            onBad(records, e.field(), (fault == null ? e.getMessage() : fault.describe())
                    + ofBytes(e, records.fields()) + " [" + e.sqlState() + "]");
        } catch (IllegalArgumentException e) {
            onBad(records, -1, e.getMessage());
        }
    }

    /** A length is one of bytes, which shows where a letter has several. */
    private static String ofBytes(BadFieldException fault, CsvSplitter fields) {
        byte[] field = fault.sqlState().equals("22001") ? fields.copy(fault.field()) : new byte[0];
        long letters = new String(field, StandardCharsets.UTF_8).codePoints().count();
        return letters == field.length ? "" : ": its " + letters + " letters are " + field.length
                + " bytes, and lengths count bytes";
    }

    /** Sets a bad record aside or ends the load; {@code field} is where it is bad, or negative. */
    private void onBad(RecordSource records, int field, String reason) throws IOException, CliException {
        boolean isNamed = field >= 0 && records.problem() == null;
        String name = isNamed ? setup.header().columnOf(field) : field >= 0 ? Integer.toString(field + 1) : "";
        String place = field < 0 ? "" : ", column " + (field + 1) + (isNamed ? " (" + name + ")" : "");
        onBad(records.line(), name, place, reason, records.raw());
    }

    private void onBad(long line, String name, String place, String reason, byte[] raw)
            throws IOException, CliException {
        if (setup.rejects() != null) {
            if (!state.rejectFileMade) {
                state.rejectFileMade = true;
                progress.keep(state);
            }
            setup.rejects().add(line, name, reason, raw);
            rowsAside++;
            return;
        }
        setProblem("line " + line + place + ": " + reason);
    }

    // ---- batches on their way ----

    private void send(RowBatch batch, long firstLine, RecordSource records) throws IOException {
        while (!inFlight.isEmpty()
                && (inFlight.size() >= IN_FLIGHT_MAX || inFlightBytes + batch.sizeBytes() > IN_FLIGHT_BYTES_MAX)) {
            settleOldest();
        }
        long number = lastNumber + 1;
        if (problem == null && number - state.probe.number() + FIRST_PROBE > PROBE_INTERVAL) {
            probe(number);
        }
        if (problem != null) {
            return;
        }
        lastNumber = number;
        SubmissionName id = submission(number);
        if (number <= state.sent.batches()) {
            id = state.probe.repeated(id);
        } else {
            state.sent = new LoadState.Sent(number, records.nextPlace().offset(), records.checksum());
        }
        keep();
        batch.submission(id);
        inFlight.add(new Sent(batch, number, firstLine, records.nextPlace(), rowsAside, rejectSize(),
                batch.executeAsync()));
        inFlightBytes += batch.sizeBytes();
    }

    private SubmissionName submission(long number) {
        return SubmissionName.of(state.client, number);
    }

    /** Gives the writer something to remember that is older than all batches from {@code number} on. */
    private void probe(long number) throws IOException {
        settleDownTo(0);
        if (problem != null || number <= state.sent.batches()) {
            return; // Batches that were sent by an earlier run need an older probe: the one there is.
        }
        try {
            long id = FIRST_PROBE + number - 1;
            WriteOutcome outcome =
                    Retries.await(client, client.submissionProbe(table, submission(id))::executeAsync);
            state.probe = new LoadState.Probe(id, outcome.timestamp(), client.writerEpoch());
            state.timestamp = Math.max(state.timestamp, outcome.timestamp());
        } catch (DaedalusException e) {
            setProblem(Errors.render(e, null));
        }
    }

    private void settleDownTo(int count) {
        while (inFlight.size() > count) {
            settleOldest();
        }
    }

    private void settleOldest() {
        Sent sent = inFlight.remove();
        inFlightBytes -= sent.batch.sizeBytes();
        try {
            settle(sent, Retries.await(client, sent.answer, sent.batch::executeAsync));
        } catch (RefusedRowsException e) {
            settleInPart(sent, e);
        } catch (DaedalusException e) {
            isWhole = false;
            rowsUnknown += e.category() == Category.UNKNOWN ? sent.batch.rowCount() : 0;
            setProblem("the batch from line " + sent.firstLine + " on: " + Errors.render(e, null));
        }
    }

    private void settle(Sent sent, WriteOutcome outcome) {
        rowsIn += outcome.countsForgotten() ? sent.batch.rowCount() : outcome.applied();
        state.timestamp = Math.max(state.timestamp, outcome.timestamp());
        if (isWhole) {
            state.settled = new LoadState.Settled(sent.end, sent.number, rowsIn, sent.rowsAside, sent.rejectSize);
            settled = state.settled;
        }
    }

    /**
     * The batch is in without the rows that were refused. Which those are nobody can tell, and sending it again would
     * double the others: the load ends here for good.
     */
    private void settleInPart(Sent sent, RefusedRowsException refusal) {
        WriteOutcome outcome = refusal.outcome();
        isWhole = false;
        rowsIn += outcome.applied();
        rowsRefused += outcome.refusedRows();
        state.timestamp = Math.max(state.timestamp, outcome.timestamp());
        String reasons = outcome.refused().keySet().stream().map(CsvLoader::describe).collect(Collectors.joining(", "));
        String refused = "the batch from line " + sent.firstLine + " on: ERROR " + refusal.sqlState() + " ("
                + refusal.category() + "): " + outcome.refusedRows() + " of " + sent.batch.rowCount()
                + " rows were refused: " + reasons + "; " + outcome.applied() + " of them are in";
        if (state.phase != LoadState.Phase.BROKEN) {
            state.phase = LoadState.Phase.BROKEN;
            state.problem = refused;
        }
        setProblem(refused);
    }

    private static String describe(WriteOutcome.Refusal reason) {
        return reason.text() + (reason.equals(WriteOutcome.Refusal.NO_ROOM) ? " (a segment is full)" : "");
    }

    private long rejectSize() {
        return setup.rejects() == null ? 0 : setup.rejects().size();
    }

    /** Makes sure that the reject file has all that the state says of it. */
    private void keep() throws IOException {
        if (setup.rejects() != null) {
            setup.rejects().flush();
        }
        progress.keep(state);
    }

    private void setProblem(String text) {
        problem = problem == null ? text : problem;
    }
}
