package org.daedalus.channel;

import java.util.Optional;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;

/**
 * The other end of one connection, from hello to loss; never reused. Methods that send or close belong to the
 * network's thread
 * ({@link PeerNetwork#execute}).
 */
public interface Peer {
    /** Unique within the network. */
    long id();

    /** Returns the peer's own description of itself. */
    Hello hello();

    /** host:port of the other side. */
    String address();

    /** Returns the endpoint, as given to {@link PeerNetwork#dial}, when this side dialled. */
    Optional<String> dialledEndpoint();

    /** Queues an operation; it leaves at the end of this turn of the network's thread. */
    Channel.Offer send(Operation operation);

    /** Queues operations that leave together or not at all; as {@link #send(Operation)}. */
    Channel.Offer send(Outgoing outgoing);

    /** Queues a result; it leaves at the end of this turn of the network's thread. */
    Channel.Offer send(Result result);

    /** Says goodbye after everything queued, then closes; {@link PeerHandler#onDown} follows. */
    void close(String reason);
}
