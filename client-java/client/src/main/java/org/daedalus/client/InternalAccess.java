package org.daedalus.client;

import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.WriteConfirmed;

/** Opens what is private to this package to the project's own programs. */
final class InternalAccess extends ClientAccess {
    @Override
    public CompletableFuture<StatusReply> status(DaedalusClient client) {
        return client.statusReply();
    }

    @Override
    public TableDescription describe(DescribeReply reply) throws WireException {
        return TableDescription.of(reply);
    }

    @Override
    public DaedalusException exception(Error error) {
        return DaedalusException.of(error);
    }

    @Override
    public WriteOutcome outcome(WriteConfirmed confirmed) {
        WriteOutcome outcome = WriteOutcome.of(confirmed);
        if (outcome.refusedRows() > 0) {
            throw new RefusedRowsException(outcome);
        }
        return outcome;
    }
}
