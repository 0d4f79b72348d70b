package org.daedalus.client.internal.sending;

import java.util.function.Consumer;
import org.daedalus.client.ConnectionListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells an application's listener, and lets nothing that it throws into the network's thread. */
final class ConnectionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionListener.class);

    private final ConnectionListener listener;

    ConnectionEvents(ConnectionListener listener) {
        this.listener = listener;
    }

    void connected(String aggregator) {
        tell(told -> told.connected(aggregator));
    }

    void lost(String aggregator, String reason) {
        tell(told -> told.lost(aggregator, reason));
        reconnecting(aggregator, reason);
    }

    void reconnecting(String aggregator, String reason) {
        tell(told -> told.reconnecting(aggregator, reason));
    }

    private void tell(Consumer<ConnectionListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException e) {
            LOG.error("a connection listener failed", e);
        }
    }
}
