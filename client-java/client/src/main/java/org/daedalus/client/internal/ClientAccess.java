package org.daedalus.client.internal;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusClient;
import org.daedalus.wire.v1.StatusReply;

/**
 * For this project's own programs, which speak the wire's messages: no part of the library's API, and changed without
 * notice. The client's package sets it, since all of this is private there.
 */
public abstract class ClientAccess {
    private static volatile ClientAccess instance;

    /** The only one. */
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

    /** {@link DaedalusClient#status} as it came. */
    public abstract CompletableFuture<StatusReply> status(DaedalusClient client);
}
