package org.daedalus.cli.export;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.daedalus.cli.CliException;
import org.daedalus.cli.ClusterOption;
import org.daedalus.cli.Interruption;
import org.daedalus.cli.Retries;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.ReadView;
import org.daedalus.client.ResultSet;
import org.daedalus.client.Row;
import org.daedalus.client.TableDescription;
import org.daedalus.client.TableSlice;
import org.daedalus.output.ProgressBar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** `daedalus export`: takes the whole table out, slice by slice, all slices at one moment that the cluster holds. */
@Command(name = "export", mixinStandardHelpOptions = true, description = {
    "Writes all rows of the table to a CSV file (RFC 4180, UTF-8), from which `load` takes them in again exactly: "
        + "NULL is an empty field, the empty string is \"\".",
    "A name that ends in .gz is compressed. Rows go to FILE.partial, which becomes FILE when all are there: an "
        + "interrupted export leaves no file that looks whole.",
    "All rows are of one moment, which the cluster holds while the table is read: exactly the updates up to it are in "
        + "the file, whatever is written meanwhile. The last line says which moment that is."})
public final class ExportCommand implements Callable<Integer> {
    /** Large enough that asking costs nothing, small enough that several fit into every bound there is. */
    private static final long SLICE_BYTES = 8L << 20;
    private static final String HOLDS_NO_MOMENTS = "0A000";

    @Parameters(index = "0", paramLabel = "FILE.csv[.gz]|-", description = "the file to write; - is standard output")
    private String name;

    @Option(names = "--force", description = "write over FILE if it exists")
    private boolean isForced;

    @Mixin
    private ClusterOption cluster;

    private DaedalusClient client;
    private TableDescription table;
    /** All slices are asked for at its moment. */
    private ReadView view;

    @Override
    public Integer call() throws CliException, IOException {
        try (ExportTarget target = ExportTarget.of(name, isForced)) {
            Interruption interruption = new Interruption(() -> System.err.println("\n" + target.discard()));
            try {
                export(target);
                return 0;
            } catch (IOException e) {
                throw CliException.failed(target.label() + ": cannot be written: " + e.getMessage());
            } finally {
                interruption.forget();
            }
        }
    }

    private void export(ExportTarget target) throws CliException, IOException {
        target.open();
        try (DaedalusClient connected = cluster.connect()) {
            client = connected;
            table = client.await(client.describe());
            try (ReadView taken = takeView()) {
                view = taken;
                exportTable(target);
            }
        }
    }

    private ReadView takeView() throws CliException {
        try {
            return Retries.await(client, client::readView);
        } catch (DaedalusException e) {
            if (!e.sqlState().equals(HOLDS_NO_MOMENTS)) {
                throw e;
            }
            throw CliException.failed("an export is of one moment, which no aggregator that is connected can hold: "
                    + "they are of an older build, or have no room for another client's moments");
        }
    }

    private void exportTable(ExportTarget target) throws CliException, IOException {
        long startNs = System.nanoTime();
        long expected = countRows();
        ProgressBar shown = new ProgressBar("exporting " + table.tableName(), expected, "rows");
        long rows;
        try {
            rows = writeAll(target, shown);
        } finally {
            shown.finish();
        }
        checkCluster();
        target.complete();
        report(target, rows, System.nanoTime() - startNs);
    }

    /** Counts the rows, for the progress that is shown. */
    private long countRows() {
        ResultSet count = Retries.await(client, () -> client.select().countRows().at(view).executeAsync());
        long rows = 0;
        for (Row row : count) {
            rows = row.getLong(0);
        }
        return rows;
    }

    private long writeAll(ExportTarget target, ProgressBar shown) throws CliException, IOException {
        CsvText text = new CsvText(table, target.stream());
        text.header();
        long rows = 0;
        Optional<TableSlice.Place> next = Optional.of(TableSlice.Place.FIRST);
        CompletableFuture<ResultSet> asked = ask(TableSlice.Place.FIRST);
        while (next.isPresent()) {
            TableSlice.Place place = next.get();
            ResultSet slice = Retries.await(client, asked, () -> ask(place));
            checkMoment(slice);
            next = TableSlice.next(slice);
            asked = next.map(this::ask).orElse(null); // Comes while this one is being written.
            for (Row row : slice) {
                text.row(row);
            }
            rows += slice.rowCount();
            shown.advance(slice.rowCount());
        }
        text.flush();
        return rows;
    }

    /** Returns all of a slice, or nothing: rows of one that breaks off are void. */
    private CompletableFuture<ResultSet> ask(TableSlice.Place place) {
        return new TableSlice(client, table, place, SLICE_BYTES).at(view).executeAsync()
                .thenCompose(ResultSet::whole);
    }

    /** Slices of several moments are no table: an aggregator has put another moment in place of the one it was told. */
    private void checkMoment(ResultSet slice) throws CliException {
        if (slice.moment() != view.moment()) {
            throw CliException.failed("a slice of " + table.tableName() + " was answered at moment " + slice.moment()
                    + " (0: at none), although moment " + view.moment() + " was asked for and is held: nothing was "
                    + "kept. Processes of an older build know no moments: all of the cluster must be of this build");
        }
    }

    /** Timestamps of another cluster mean something else, although the client would go on with it. */
    private void checkCluster() throws CliException {
        String now = client.await(client.describe()).clusterId();
        if (!now.equals(table.clusterId())) {
            throw CliException.failed("cluster " + table.clusterId() + " was replaced by " + now
                    + " while its table was read: nothing was kept");
        }
    }

    private void report(ExportTarget target, long rows, long elapsedNs) {
        double seconds = elapsedNs / 1e9;
        target.says().printf("%s: %d %s of %s at moment %d (%.1f s, %.0f rows/s)%n", target.label(), rows,
                rows == 1 ? "row" : "rows", table.tableName(), view.moment(), seconds, rows / seconds);
        target.says().flush();
    }
}
