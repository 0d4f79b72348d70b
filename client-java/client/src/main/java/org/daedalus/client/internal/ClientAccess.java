package org.daedalus.client.internal;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RowBatch;
import org.daedalus.client.WriteOutcome;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * Opens to this project's own programs, which speak the wire's messages, what is private to the client's package, which
 * sets it. It is no part of the library's API, and changed without notice.
 */
public abstract class ClientAccess {
    private static volatile ClientAccess instance;

    /** Returns the only instance. */
    public static ClientAccess get() {
        if (instance == null) {
            try {
                MethodHandles.lookup().ensureInitialized(DaedalusClient.class);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return instance;
    }

    /** Called by the client's package, once. */
    public static void set(ClientAccess access) {
        instance = access;
    }

    /**
     * A batch as it travels.
     *
     * @param table that it was packed for
     * @param body without a submission where the batch has no name
     */
    public record PackedBatch(DescribeReply table, SubmitBody body) {}

    public abstract PackedBatch packed(RowBatch batch);

    /** Returns what a confirmation means; fails with a RefusedRowsException where rows were refused. */
    public abstract WriteOutcome outcome(WriteConfirmed confirmed);

    /** Returns what an error of the wire means. */
    public abstract DaedalusException failure(Error error);

    /** Returns a copy of the failure to be thrown by the thread that waits for it; its cause is {@code failure}. */
    public abstract DaedalusException rethrown(DaedalusException failure);

    /** {@link DaedalusClient#status} as it came. */
    public abstract CompletableFuture<StatusReply> status(DaedalusClient client);
}
