package org.daedalus.client;

import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.v1.StatusReply;

/** Opens what is private to this package to the project's own programs. */
final class InternalAccess extends ClientAccess {
    @Override
    public CompletableFuture<StatusReply> status(DaedalusClient client) {
        return client.statusReply();
    }
}
