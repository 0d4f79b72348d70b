package org.daedalus.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.answers.BufferSpace;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.client.internal.answers.RowQueue;
import org.daedalus.client.internal.sending.Connections;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.v1.QueryEnd;

/**
 * The answer to a query, read while it arrives: by iterating, or by subscribing to its {@link #publisher}, once.
 *
 * <p>Iterating waits for rows, at most until the request's deadline, and throws {@link DaedalusException} when the
 * answer ends in an error: rows seen before are void then. Only one reader at a time; a reader that waits must not be a
 * callback of this client's futures. Rows that nobody reads take up the client's buffer until {@link #close}.
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
    private final RowQueue queue;
    private final Runnable abort;
    private final AtomicBoolean claimed = new AtomicBoolean();
    /** The moment that the first rows have named; 0: they have not. */
    private volatile long firstMoment;

    ResultSet(ResultColumns columns, Connections connections, Runnable abort) {
        this.columns = columns;
        this.connections = connections;
        this.queue = new RowQueue(connections.buffers());
        this.abort = abort;
    }

    /** Returns the answer's columns, in their order. */
    public List<ResultColumn> columns() {
        return columns.list();
    }

    /** Returns the rows, once. */
    @Override
    public Iterator<Row> iterator() {
        claim();
        return new Rows();
    }

    /** Reads all rows that have not been read. */
    public List<Row> toList() {
        List<Row> rows = new ArrayList<>();
        iterator().forEachRemaining(rows::add);
        return rows;
    }

    /**
     * Returns the rows as a stream with back-pressure: as many as the subscriber has requested, while they arrive. One
     * subscriber; it is called on the client's {@link DaedalusClient.Builder#subscriberExecutor}. Cancelling aborts the
     * query and frees what was buffered.
     */
    public Flow.Publisher<Row> publisher() {
        return new RowPublisher(connections.subscriberExecutor(), () -> {
            claim();
            return CompletableFuture.completedFuture(this);
        });
    }

    /**
     * Completes, with this result, when the whole answer has arrived: reading it does not wait any more then, not even
     * in a callback.
     */
    public CompletableFuture<ResultSet> whole() {
        return queue.arrived().thenApply(nothing -> this);
    }

    /** Waits for the end of the answer and says, segment by segment, which updates it saw. Rows stay to be read. */
    public List<Stamp> stamps() {
        return awaitEnd().getStampsList().stream()
                .map(stamp -> new Stamp(stamp.getNode(), stamp.getPartition(), stamp.getSegment(), stamp.getApplied(),
                        stamp.getDurable()))
                .toList();
    }

    /**
     * Says at which moment the answer is: it shows exactly the updates 1 to here, in the whole table. The first rows
     * say it; where they do not, this waits for the end of the answer. 0: before the first update, or a cluster of an
     * older build, which does not say.
     */
    public long moment() {
        return firstMoment != 0 ? firstMoment : awaitEnd().getMoment();
    }

    /** Waits for the end of the answer; rows in it. */
    public long rowCount() {
        return awaitEnd().getRowCount();
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
        if (!queue.isOver()) {
            abort();
        }
        queue.discard();
    }

    RowQueue queue() {
        return queue;
    }

    ResultColumns resultColumns() {
        return columns;
    }

    /** Takes rows as they arrive, if there is room for them: otherwise the application reads too slowly. */
    BufferSpace.Room onRows(ArrivedResult batch) {
        if (batch.moment() != 0) {
            firstMoment = batch.moment();
        }
        return queue.offer(batch.rows(), batch.rowCount());
    }

    void onEnd(QueryEnd last) {
        if (firstMoment != 0 && firstMoment != last.getMoment()) {
            onFailure(new DaedalusException(Category.FATAL, "08P01", "the answer's first rows are of moment "
                    + firstMoment + " but its end says " + last.getMoment()));
        } else {
            queue.end(last);
        }
    }

    void onFailure(DaedalusException cause) {
        queue.fail(cause);
    }

    private void claim() {
        if (!claimed.compareAndSet(false, true)) {
            throw new IllegalStateException("rows can be read only once: this result has a reader already");
        }
    }

    QueryEnd awaitEnd() {
        return queue.awaitEnd(this::refuseNetworkThread);
    }

    /** Waiting on the thread that brings what is waited for would never end. */
    private void refuseNetworkThread() {
        if (connections.inNetworkThread()) {
            throw new IllegalStateException(
                    "a callback of the client must not wait for rows: hand them to another thread, or use publisher()");
        }
    }

    private final class Rows implements Iterator<Row> {
        private final RowReader reader = new RowReader(columns);

        @Override
        public boolean hasNext() {
            while (!reader.hasNext()) {
                ByteRange batch = queue.take(ResultSet.this::refuseNetworkThread);
                if (batch == null) {
                    return false;
                }
                reader.use(batch);
            }
            return true;
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return reader.next();
        }
    }
}
