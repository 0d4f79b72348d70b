package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.protocol.ClusterIdentity;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.sending.Connections;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.StatusReply;

/**
 * Asks the cluster about itself: for its status, and for its table, whose description is kept as long as the cluster is
 * the same. Thread-safe.
 */
final class ClusterQuestions {
    private final Connections connections;
    private final Duration timeout;
    private final AtomicReference<Description> description = new AtomicReference<>();

    ClusterQuestions(Connections connections, Duration timeout) {
        this.connections = connections;
        this.timeout = timeout;
    }

    /** Holds the description of one cluster's table, or waits for it. */
    private static final class Description {
        private final CompletableFuture<TableDescription> table = new CompletableFuture<>();
        /** Set before the table is. */
        private volatile ClusterIdentity cluster;

        boolean isOf(ClusterIdentity current) {
            return !table.isDone() || !table.isCompletedExceptionally() && current.equals(cluster);
        }
    }

    private interface Reader<T> {
        T read(Result result) throws WireException;
    }

    CompletableFuture<TableDescription> description() {
        Description known = description.get();
        if (known != null && known.isOf(connections.cluster())) {
            return known.table;
        }
        Description asked = new Description();
        if (!description.compareAndSet(known, asked)) {
            return description();
        }
        ask(OperationKind.OPERATION_KIND_DESCRIBE, result -> {
            asked.cluster = connections.cluster();
            return TableDescription.of(result.getDescribed());
        }, asked.table);
        return asked.table;
    }

    /** Forgets the description, which the cluster has called out of date. */
    void forgetDescription() {
        description.set(null);
    }

    CompletableFuture<StatusReply> status() {
        CompletableFuture<StatusReply> asked = new CompletableFuture<>();
        ask(OperationKind.OPERATION_KIND_STATUS, Result::getStatus, asked);
        return asked;
    }

    private <T> void ask(OperationKind kind, Reader<T> reader, CompletableFuture<T> future) {
        Request.Responder responder = new Request.Responder() {
            @Override
            public void onResult(ArrivedResult result) {
                try {
                    future.complete(reader.read(result.message()));
                } catch (WireException e) {
                    future.completeExceptionally(new DaedalusException(Category.FATAL, "08P01", e.getMessage()));
                }
            }

            @Override
            public void onFailure(DaedalusException failure) {
                future.completeExceptionally(failure);
            }
        };
        Request.Content content = Request.Content.of(kind, ByteString.EMPTY, null);
        connections.submit(new Request(content, responder, connections.nowNs() + timeout.toNanos()));
    }
}
