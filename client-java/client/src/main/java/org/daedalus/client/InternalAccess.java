package org.daedalus.client;

import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.WriteConfirmed;

/** Opens what is private to this package to the project's own programs. */
final class InternalAccess extends ClientAccess {
    @Override
    public CompletableFuture<StatusReply> status(DaedalusClient client) {
        return client.questions().status();
    }

    @Override
    public PackedBatch packed(RowBatch batch) {
        return new PackedBatch(batch.described(), batch.body());
    }

    @Override
    public WriteOutcome outcome(WriteConfirmed confirmed) {
        WriteOutcome outcome = WriteOutcome.of(confirmed);
        if (!outcome.refused().isEmpty()) {
            throw new RefusedRowsException(outcome);
        }
        return outcome;
    }

    @Override
    public DaedalusException failure(Error error) {
        return DaedalusException.of(error);
    }

    @Override
    public DaedalusException rethrown(DaedalusException failure) {
        return failure.rethrown();
    }
}
