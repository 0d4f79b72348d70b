package org.daedalus.client;

/**
 * Is told what becomes of a client's connections ({@link DaedalusClient.Builder#connectionListener}). None of it needs
 * an answer: the client dials again by itself, and gives requests to the aggregators that are left.
 *
 * <p>Called on the client's network thread, one call after the other: a listener must not block. What it throws is
 * logged and otherwise ignored.
 */
public interface ConnectionListener {
    /** A connection is up. {@code aggregator} is the endpoint, as it was given to the builder. */
    default void connected(String aggregator) {}

    /**
     * A connection that was up is lost, or the aggregator has closed it. Not called for connections that end with
     * {@link DaedalusClient#close}.
     */
    default void lost(String aggregator, String reason) {}

    /**
     * The aggregator is not connected and will be dialled again, after 20 ms at first, then twice as long, up to 1 s.
     * Called after a loss and after each try that failed.
     */
    default void reconnecting(String aggregator, String reason) {}
}
