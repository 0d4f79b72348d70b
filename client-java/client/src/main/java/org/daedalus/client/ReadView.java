package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.sending.Connections;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.OperationKind;

/**
 * One moment of the table for several queries: {@code query.at(view)} answers with exactly the updates up to {@link
 * #moment}, whatever is written meanwhile. The cluster keeps what that needs until the view is closed, or for two
 * seconds after the client is gone, as far as its room for it goes: beyond, a query at the view is refused (72000).
 * Thread-safe.
 */
public final class ReadView implements AutoCloseable {
    private final Connections connections;
    private final long moment;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ReadView(Connections connections, long moment) {
        this.connections = connections;
        this.moment = moment;
    }

    static CompletableFuture<ReadView> take(Connections connections, long deadlineNs) {
        CompletableFuture<ReadView> future = new CompletableFuture<>();
        connections.submit(new Request(Request.Content.of(OperationKind.OPERATION_KIND_HOLD, ByteString.EMPTY, null),
                new Request.Responder() {
                    @Override
                    public void onResult(ArrivedResult result) {
                        ReadView view = new ReadView(connections, result.message().getHeld().getOldest());
                        if (!future.complete(view)) {
                            view.close(); // Nobody waits for it any more.
                        }
                    }

                    @Override
                    public void onFailure(DaedalusException failure) {
                        future.completeExceptionally(failure);
                    }
                }, deadlineNs));
        return future;
    }

    /** Returns the moment that is held: the last update that its answers show. */
    public long moment() {
        return moment;
    }

    /** Lets the moment go. Queries that are under way end well. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            connections.release(moment);
        }
    }
}
