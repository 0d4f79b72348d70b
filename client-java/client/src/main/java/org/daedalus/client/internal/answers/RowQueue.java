package org.daedalus.client.internal.answers;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.v1.QueryEnd;

/**
 * The packed rows of one answer on their way from the network's thread to one reader, who takes them by waiting
 * ({@link #take}) or by asking ({@link #poll}) and being told ({@link #onChange}).
 *
 * <p>Never makes the network wait: what arrives is kept as long as the client's {@link BufferSpace} has room and
 * refused otherwise. A batch counts until the reader comes for the next one. Thread-safe.
 */
public final class RowQueue {
    private static final Runnable NOBODY = () -> {};

    private final BufferSpace space;
    private final Deque<ByteRange> batches = new ArrayDeque<>(1);
    /** This is null until somebody asks for it. */
    private CompletableFuture<Void> arrived;
    /** Reserved bytes: of batches, and of the one that the reader has. */
    private long reservedBytes;
    private long readingBytes;
    private long rowsArrived;
    private QueryEnd end;
    private boolean discarding;
    private boolean rowsLost;
    private volatile DaedalusException failure;
    private volatile Runnable onChange = NOBODY;

    public RowQueue(BufferSpace space) {
        this.space = space;
    }

    /** Is called, on the network's thread, after rows, the end or a failure have arrived. */
    public void onChange(Runnable listener) {
        onChange = listener;
    }

    // The network's thread calls these.

    /** Takes rows as they arrive, if there is room for them: otherwise the application reads too slowly. */
    public BufferSpace.Room offer(ByteRange rows, int rowCount) {
        synchronized (this) {
            rowsArrived += rowCount;
            if (rows.isEmpty()) {
                return BufferSpace.Room.RESERVED;
            }
            if (discarding) {
                rowsLost = true;
                return BufferSpace.Room.RESERVED;
            }
            BufferSpace.Room room = space.reserve(rows.size(), reservedBytes);
            if (room != BufferSpace.Room.RESERVED) {
                return room;
            }
            reservedBytes += rows.size();
            batches.add(rows);
            notifyAll();
        }
        onChange.run();
        return BufferSpace.Room.RESERVED;
    }

    public void end(QueryEnd last) {
        if (last.getRowCount() != rowsArrived) {
            fail(new DaedalusException(Category.FATAL, "08P01",
                    "the answer has " + rowsArrived + " rows but its end says " + last.getRowCount()));
            return;
        }
        CompletableFuture<Void> awaited;
        synchronized (this) {
            end = last;
            awaited = arrived;
            notifyAll();
        }
        onChange.run();
        if (awaited != null) {
            awaited.complete(null);
        }
    }

    public void fail(DaedalusException cause) {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            failure = cause;
            discard();
            awaited = arrived;
            notifyAll();
        }
        onChange.run();
        if (awaited != null) {
            awaited.completeExceptionally(cause);
        }
    }

    // The reader calls these.

    /** Gives all rows back that have not been read, now and whenever more arrive. */
    public synchronized void discard() {
        discarding = true;
        rowsLost |= !batches.isEmpty();
        batches.clear();
        readingBytes = 0;
        release(reservedBytes);
    }

    private void release(long size) {
        space.release(size);
        reservedBytes -= size;
    }

    /** Completes when everything has arrived, or fails with why it has not. */
    public synchronized CompletableFuture<Void> arrived() {
        if (arrived == null) {
            arrived = new CompletableFuture<>();
            if (failure != null) {
                arrived.completeExceptionally(failure);
            } else if (end != null) {
                arrived.complete(null);
            }
        }
        return arrived;
    }

    /** Says whether nothing can arrive any more. */
    public synchronized boolean isOver() {
        return end != null || failure != null;
    }

    /** Returns why the answer broke off; null: it did not, so far. */
    public DaedalusException failure() {
        return failure;
    }

    /** Says whether everything has arrived and been taken. */
    public synchronized boolean isDrained() {
        return end != null && batches.isEmpty();
    }

    /** Returns the next batch of packed rows; null: none is here now. */
    public synchronized ByteRange poll() {
        release(readingBytes);
        readingBytes = 0;
        ByteRange batch = batches.poll();
        if (batch != null) {
            readingBytes = batch.size();
        }
        return batch;
    }

    /**
     * Waits for the next batch of packed rows; null after the last.
     *
     * @param beforeWaiting may throw to forbid it
     */
    public synchronized ByteRange take(Runnable beforeWaiting) {
        while (batches.isEmpty()) {
            if (failure != null) {
                throw ClientAccess.get().rethrown(failure);
            }
            if (rowsLost) {
                throw new DaedalusException(Category.RETRY, "57014", "the result was closed before it had been read");
            }
            if (end != null) {
                poll();
                return null;
            }
            await(beforeWaiting);
        }
        return poll();
    }

    /** Waits until everything has arrived; as {@link #take}. */
    public synchronized QueryEnd awaitEnd(Runnable beforeWaiting) {
        while (end == null) {
            if (failure != null) {
                throw ClientAccess.get().rethrown(failure);
            }
            await(beforeWaiting);
        }
        return end;
    }

    private void await(Runnable beforeWaiting) {
        beforeWaiting.run();
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DaedalusException(Category.RETRY, "57014", "interrupted while waiting for rows");
        }
    }
}
