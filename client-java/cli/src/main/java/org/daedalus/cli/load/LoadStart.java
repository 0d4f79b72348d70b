package org.daedalus.cli.load;

import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.daedalus.cli.CliException;
import org.daedalus.cli.Retries;
import org.daedalus.client.ClusterStatus;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.SubmissionName;
import org.daedalus.client.TableDescription;

/**
 * Decides where a load starts: at the file's first row, or where an earlier run stopped. Refuses whenever going on
 * could double rows or leave some out.
 */
final class LoadStart {
    private static final int CLIENT_ID_SIZE = 16;
    private static final int BUFFER_SIZE = 1 << 20;
    private static final String RESTART =
            "; --restart loads the file from its first row, whatever is in already";

    /** All rows of the file are in, as an earlier run has said. */
    static final class AlreadyLoaded extends CliException {
        private static final long serialVersionUID = 1L;

        private final long rowsIn;

        private AlreadyLoaded(String prefix, long rowsIn) {
            super(FAILED, prefix + "all its " + rowsIn
                    + " rows are in since an earlier run; --restart loads them once more");
            this.rowsIn = rowsIn;
        }

        /** Returns a copy that names the file. */
        AlreadyLoaded of(String file) {
            return new AlreadyLoaded(file + ": ", rowsIn);
        }

        long rowsIn() {
            return rowsIn;
        }
    }

    private final LoadSource source;
    private final LoadProgress progress;
    private final String options;
    private final String rejectFile;
    /** Has seen the file's first {@code beforeSize} bytes. */
    private CRC32C before = new CRC32C();
    private long beforeSize;
    /** The file ends where what was sent of it does. */
    private boolean endsThere;

    /**
     * Looks at what {@code progress} knows.
     *
     * @param options what the batches depend on besides the file
     * @param rejectFile empty: none
     */
    LoadStart(LoadSource source, LoadProgress progress, String options, String rejectFile) {
        this.source = source;
        this.progress = progress;
        this.options = options;
        this.rejectFile = rejectFile;
    }

    /**
     * Leaves in {@code progress} a state to go on from; true: an earlier run's.
     *
     * @param cluster its id
     */
    boolean decide(DaedalusClient client, TableDescription table, String cluster) throws IOException, CliException {
        LoadState state = progress.state();
        if (state == null || !isGoingOn(state)) {
            before = new CRC32C();
            beforeSize = 0;
            keepFresh(cluster);
            return false;
        }
        if (!state.options.equals(options)) {
            throw CliException.failed("an earlier run of this load had other options: repeat them (" + state.options
                    + "; now: " + options + ")" + RESTART);
        }
        if (!state.rejectFile.equals(rejectFile) && state.settled.rejectSize() > 0) {
            throw CliException.failed("an earlier run of this load set bad lines aside in " + state.rejectFile
                    + ": name it again" + RESTART);
        }
        checkWriter(client, table, state);
        return true;
    }

    /** Says whether the state is about this file; it is not when another one stood here, and was loaded to its end. */
    private boolean isGoingOn(LoadState state) throws IOException, CliException {
        boolean isSame = isUnchanged(state);
        boolean isComplete = state.phase == LoadState.Phase.COMPLETE || state.phase == LoadState.Phase.REPORTED;
        if (!isSame && isComplete) {
            return false;
        }
        if (!isSame) {
            throw CliException.failed("the file has changed since an earlier run loaded its lines up to "
                    + (state.settled.place().line() - 1) + ": put the old one back" + RESTART);
        }
        if (state.phase == LoadState.Phase.BROKEN) {
            throw CliException.failed("an earlier run cannot be gone on with: " + state.problem
                    + "; those rows are lost, so start the cluster afresh with larger segments" + RESTART);
        }
        if (state.phase == LoadState.Phase.REPORTED && endsThere) {
            throw new AlreadyLoaded("", state.settled.rowsIn());
        }
        return true;
    }

    /** Says whether all that earlier runs have sent is unchanged, and ends where a record does. */
    private boolean isUnchanged(LoadState state) throws IOException {
        long settled = state.settled.place().offset();
        long sent = state.sent.offset();
        CRC32C all = new CRC32C();
        byte[] bytes = new byte[BUFFER_SIZE];
        byte last = '\n';
        long offset = 0;
        try (InputStream in = source.open(null)) {
            while (offset < Math.max(settled, sent)) {
                long end = offset < settled ? settled : sent;
                int count = in.read(bytes, 0, (int) Math.min(bytes.length, end - offset));
                if (count < 0) {
                    return false;
                }
                if (offset < settled) {
                    before.update(bytes, 0, count);
                    beforeSize += count;
                }
                all.update(bytes, 0, offset < sent ? (int) Math.min(count, sent - offset) : 0);
                offset += count;
                last = count > 0 ? bytes[count - 1] : last;
            }
            endsThere = in.read() < 0;
        }
        boolean endsRecord = last == '\n' || last == '\r' || endsThere;
        return (int) all.getValue() == state.sent.checksum() && endsRecord;
    }

    /** Leaves in {@code progress} a state that knows of nothing. */
    void keepFresh(String cluster) throws IOException {
        byte[] id = new byte[CLIENT_ID_SIZE];
        new SecureRandom().nextBytes(id);
        LoadState state = new LoadState();
        state.file = String.valueOf(source.realPath());
        state.cluster = cluster;
        state.client = HexFormat.of().formatHex(id);
        state.options = options;
        state.rejectFile = rejectFile;
        progress.keep(state);
    }

    /**
     * Makes sure that batches which are sent again take effect once: the writer must remember what it was asked before
     * them. A cluster that was started afresh has not come as far as the load had.
     */
    private void checkWriter(DaedalusClient client, TableDescription table, LoadState state) throws CliException {
        if (state.probe.number() == 0) {
            return; // Nothing was ever sent.
        }
        long applied = 0;
        for (ClusterStatus.Node node : Retries.await(client, client::status).nodes()) {
            applied = Math.max(applied, Math.max(node.accepted(), node.applied()));
        }
        if (applied < state.timestamp || !remembersProbe(client, table, state)) {
            throw CliException.failed(forgotten(state));
        }
    }

    /** A writer that cannot know the probe says so (UNKNOWN); a fresh cluster gives it another timestamp. */
    private static boolean remembersProbe(DaedalusClient client, TableDescription table, LoadState state) {
        SubmissionName id = state.probe.again(SubmissionName.of(state.client, state.probe.number()));
        try {
            return Retries.await(client, client.submissionProbe(table, id)::executeAsync).timestamp()
                    == state.probe.timestamp();
        } catch (DaedalusException e) {
            if (e.category() == DaedalusException.Category.UNKNOWN) {
                return false;
            }
            throw e;
        }
    }

    private static String forgotten(LoadState state) {
        String text = "the writer does not remember the earlier run: the cluster or its writer was started afresh, or "
                + "tens of thousands of other updates came between; line " + state.settled.place().line()
                + " is the first whose row was not confirmed";
        long open = state.sent.batches() - state.settled.batches();
        if (open > 0) {
            text += ", and " + open + (open == 1 ? " batch" : " batches") + " from there on may be in";
        }
        return text + ": find out what is in, then go on with --restart --from-line N" + RESTART;
    }

    /** Opens the file where the state says, after {@link #decide}. */
    RecordSource open(InputStream bytes, boolean isMended, CsvFormat format) throws IOException {
        RecordSource.Place place = progress.state().settled.place();
        bytes.skipNBytes(beforeSize);
        before.update(bytes.readNBytes((int) (place.offset() - beforeSize))); // The header, of a load that starts.
        CsvReader reader = new CsvReader(bytes, isMended ? MendedReader.FORMAT : format, place, before);
        return isMended ? new MendedReader(reader, format.delimiter()) : reader;
    }
}
