package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;

/**
 * The answer to a query, read while it arrives. Iterating waits for rows, at most until the request's deadline, and
 * throws
 * {@link DaedalusException} when the answer ends in an error: rows seen before are void then. Only one reader at a
 * time; the
 * reader must not be a callback of this client's futures.
 */
public final class ResultSet implements Outcome, Iterable<Row>, AutoCloseable {
    /**
     * The prefix one segment was in when it answered.
     *
     * @param applied every update up to here is in the answer, none after it
     * @param durable updates up to here were durable
     */
    public record Stamp(int node, int partition, int segment, long applied, long durable) {}

    private final ResultColumns columns;
    private final Connections connections;
    private final Runnable abort;
    private final Deque<ByteString> batches = new ArrayDeque<>();
    private long rowsArrived;
    private QueryEnd end;
    private DaedalusException failure;
    private boolean iterated;
    private boolean discarding;

    ResultSet(ResultColumns columns, Connections connections, Runnable abort) {
        this.columns = columns;
        this.connections = connections;
        this.abort = abort;
    }

    public List<ResultColumn> columns() {
        return columns.list();
    }

    /** The rows, once. */
    @Override
    public Iterator<Row> iterator() {
        if (iterated) {
            throw new IllegalStateException("rows can be read only once");
        }
        iterated = true;
        return new Rows();
    }

    /** Reads all rows that have not been read. */
    public List<Row> toList() {
        List<Row> rows = new ArrayList<>();
        iterator().forEachRemaining(rows::add);
        return rows;
    }

    /** Waits for the end of the answer and says, segment by segment, which updates it saw. Rows stay to be read. */
    public List<Stamp> stamps() {
        awaitEnd();
        return end.getStampsList().stream()
                .map(stamp -> new Stamp(stamp.getNode(), stamp.getPartition(), stamp.getSegment(), stamp.getApplied(),
                        stamp.getDurable()))
                .toList();
    }

    /** Waits for the end of the answer; rows in it. */
    public long rowCount() {
        awaitEnd();
        return end.getRowCount();
    }

    /**
     * Tells the cluster that no more rows are wanted; a reader gets an error of SQLSTATE 57014. No-op after the end.
     */
    public void abort() {
        abort.run();
    }

    /** Aborts if the answer has not ended, and drops rows that were not read. */
    @Override
    public void close() {
        abort();
        drop();
    }

    // What follows is called on the network's thread.

    /** Takes rows as they arrive; false: the application reads too slowly, and there is no room for them. */
    synchronized boolean onRows(QueryRows rows) {
        rowsArrived += rows.getRowCount();
        if (rows.getRows().isEmpty() || discarding) {
            return true;
        }
        if (!connections.reserve(rows.getRows().size())) {
            return false;
        }
        batches.add(rows.getRows());
        notifyAll();
        return true;
    }

    synchronized void onEnd(QueryEnd last) {
        if (last.getRowCount() != rowsArrived) {
            onFailure(new DaedalusException(Category.FATAL, "08P01",
                    "the answer has " + rowsArrived + " rows but its end says " + last.getRowCount()));
        } else {
            end = last;
            notifyAll();
        }
    }

    synchronized void onFailure(DaedalusException cause) {
        failure = cause;
        drop();
        notifyAll();
    }

    private synchronized void drop() {
        discarding = true;
        while (!batches.isEmpty()) {
            connections.release(batches.remove().size());
        }
    }

    private synchronized void awaitEnd() {
        while (end == null) {
            if (failure != null) {
                throw failure.rethrown();
            }
            await();
        }
    }

    /** The next batch of packed rows, or null after the last. */
    private synchronized ByteString nextBatch() {
        while (batches.isEmpty()) {
            if (failure != null) {
                throw failure.rethrown();
            }
            if (end != null) {
                return null;
            }
            await();
        }
        ByteString batch = batches.remove();
        connections.release(batch.size());
        return batch;
    }

    private void await() {
        if (connections.inNetworkThread()) {
            throw new IllegalStateException("a callback of the client must not wait for rows");
        }
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DaedalusException(Category.RETRY, "57014", "interrupted while waiting for rows");
        }
    }

    private final class Rows implements Iterator<Row> {
        private PackedRows batch;

        @Override
        public boolean hasNext() {
            while (batch == null || !batch.hasNext()) {
                ByteString bytes = nextBatch();
                if (bytes == null) {
                    return false;
                }
                batch = new PackedRows(columns.types(), bytes);
            }
            return true;
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            try {
                return new Row(columns, batch.next());
            } catch (WireException e) {
                throw new DaedalusException(Category.FATAL, "08P01", "malformed row: " + e.getMessage());
            }
        }
    }
}
