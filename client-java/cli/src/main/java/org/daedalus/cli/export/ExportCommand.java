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
import org.daedalus.client.Executable;
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

/** `daedalus export`: takes the whole table out, slice by slice, and says whether all slices saw the same updates. */
@Command(name = "export", mixinStandardHelpOptions = true, description = {
    "Writes all rows of the table to a CSV file (RFC 4180, UTF-8), from which `load` takes them in again exactly: "
        + "NULL is an empty field, the empty string is \"\".",
    "A name that ends in .gz is compressed. Rows go to FILE.partial, which becomes FILE when all are there: an "
        + "interrupted export leaves no file that looks whole.",
    "All rows are asked for at one timestamp, which the cluster holds meanwhile. Where it is of a build that cannot "
        + "answer at an earlier timestamp, and updates came while the table was read, the file is written, too, but "
        + "the exit code is 1: rows that were changed meanwhile may be there as they were before or after, twice, or "
        + "not at all. Export again while nobody writes, or accept it with --mixed."})
public final class ExportCommand implements Callable<Integer> {
    /** Large enough that asking costs nothing, small enough that several fit into every bound there is. */
    private static final long SLICE_BYTES = 8L << 20;
    private static final String HOLDS_NO_MOMENTS = "0A000";

    @Parameters(index = "0", paramLabel = "FILE.csv[.gz]|-", description = "the file to write; - is standard output")
    private String name;

    @Option(names = "--force", description = "write over FILE if it exists")
    private boolean isForced;

    @Option(names = "--mixed", description = "updates may come while the table is read: the exit code is 0 then, too")
    private boolean mayBeMixed;

    @Mixin
    private ClusterOption cluster;

    private DaedalusClient client;
    private TableDescription table;
    /** All slices are asked for at its moment; null: the cluster is of a build that holds none. */
    private ReadView view;
    private long startTimestamp;
    private final StampRange stamps = new StampRange();

    @Override
    public Integer call() throws CliException, IOException {
        try (ExportTarget target = ExportTarget.of(name, isForced)) {
            Interruption interruption = new Interruption(() -> System.err.println("\n" + target.discard()));
            try {
                return export(target);
            } catch (IOException e) {
                throw CliException.failed(target.label() + ": cannot be written: " + e.getMessage());
            } finally {
                interruption.forget();
            }
        }
    }

    private int export(ExportTarget target) throws CliException, IOException {
        target.open();
        try (DaedalusClient connected = cluster.connect()) {
            client = connected;
            table = client.await(client.describe());
            view = takeView();
            return exportTable(target);
        }
    }

    private ReadView takeView() {
        try {
            return Retries.await(client, client::readView);
        } catch (DaedalusException e) {
            if (!e.sqlState().equals(HOLDS_NO_MOMENTS)) {
                throw e;
            }
            return null;
        }
    }

    /** Asks at the moment that is held; without one, for the updates up to the first answer at least. */
    private <S extends Executable<S, ResultSet>> S asOf(S query) {
        return view == null ? query.atLeast(startTimestamp) : query.at(view);
    }

    private int exportTable(ExportTarget target) throws CliException, IOException {
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
        return report(target, rows, System.nanoTime() - startNs);
    }

    /**
     * Counts the rows, which also says which updates every slice has to include at least: on an idle cluster, all there
     * are.
     */
    private long countRows() {
        ResultSet count = Retries.await(client, () -> asOf(client.select().countRows()).executeAsync());
        long rows = 0;
        for (Row row : count) {
            rows = row.getLong(0);
        }
        startTimestamp = count.stamps().stream().mapToLong(ResultSet.Stamp::applied).max().orElse(0);
        return rows;
    }

    private long writeAll(ExportTarget target, ProgressBar shown) throws IOException {
        CsvText text = new CsvText(table, target.stream());
        text.header();
        long rows = 0;
        Optional<TableSlice.Place> next = Optional.of(TableSlice.Place.FIRST);
        CompletableFuture<ResultSet> asked = ask(TableSlice.Place.FIRST);
        while (next.isPresent()) {
            TableSlice.Place place = next.get();
            ResultSet slice = Retries.await(client, asked, () -> ask(place));
            stamps.add(slice.stamps());
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
        return asOf(new TableSlice(client, table, place, SLICE_BYTES)).executeAsync()
                .thenCompose(ResultSet::whole);
    }

    /** Timestamps of another cluster mean something else, although the client would go on with it. */
    private void checkCluster() throws CliException {
        String now = client.await(client.describe()).clusterId();
        if (!now.equals(table.clusterId())) {
            throw CliException.failed("cluster " + table.clusterId() + " was replaced by " + now
                    + " while its table was read: nothing was kept");
        }
    }

    private int report(ExportTarget target, long rows, long elapsedNs) {
        double seconds = elapsedNs / 1e9;
        target.says().printf("%s: %d %s of %s, %s (%.1f s, %.0f rows/s)%n", target.label(), rows,
                rows == 1 ? "row" : "rows", table.tableName(), stamps.describe(), seconds, rows / seconds);
        target.says().flush();
        if (stamps.isOne()) {
            return 0;
        }
        System.err.println("daedalus: updates came while the table was read: rows that they changed may be there as "
                + "they were before or after, twice, or not at all; all others are there once. "
                + (mayBeMixed ? "--mixed accepts that."
                        : "Export again while nobody writes, or accept it with --mixed."));
        return mayBeMixed ? 0 : CliException.FAILED;
    }
}
