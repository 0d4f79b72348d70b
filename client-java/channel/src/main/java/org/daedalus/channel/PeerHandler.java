package org.daedalus.channel;

import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;

/** A {@link PeerNetwork} reports to this. It calls every method on the network's one thread; none may block. */
public interface PeerHandler {
    /** A connection is up: both hellos have been exchanged. */
    void onUp(Peer peer);

    /** A connection that was up is lost or closed; nothing more comes from it. */
    void onDown(Peer peer, String reason);

    /** An endpoint that is dialled could not be reached; it is dialled again. */
    default void onDialFailed(String endpoint, String reason) {}

    /** An endpoint that is dialled belongs to somebody else: its hello contradicts ours. It is dialled again. */
    default void onHelloRefused(String endpoint, String reason) {
        onDialFailed(endpoint, reason);
    }

    default void onOperation(Peer peer, Operation operation) {
        peer.close("this side takes no operations");
    }

    /** Takes a result, of which whoever passes many rows on need not make a message; otherwise as the next one. */
    default void onResult(Peer peer, ArrivedResult result) {
        onResult(peer, result.message());
    }

    default void onResult(Peer peer, Result result) {
        peer.close("this side takes no results");
    }
}
