package org.daedalus.client.internal.protocol;

import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Role;

/**
 * Decides to which cluster a client is bound: all connections of one time are to one, and once none is left the next
 * one may be to another, unless the application has named its cluster. Pure.
 */
final class ClusterBinding {
    private final String pinnedClusterId;
    private ClusterIdentity current = ClusterIdentity.NONE;

    /** @param pinnedClusterId the only one that may be connected to; empty: any */
    ClusterBinding(String pinnedClusterId) {
        this.pinnedClusterId = pinnedClusterId;
    }

    /** Returns the cluster of the last connection that was made; {@link ClusterIdentity#NONE} before the first. */
    ClusterIdentity current() {
        return current;
    }

    /** Returns the cluster that a new connection must be to, as far as that is fixed; empty names leave it open. */
    ClusterIdentity expected(boolean isConnected) {
        ClusterIdentity expected = isConnected ? current : ClusterIdentity.NONE;
        return pinnedClusterId.isEmpty() ? expected
                : new ClusterIdentity(pinnedClusterId, expected.schemaFingerprint(), expected.mapVersion());
    }

    /**
     * Returns why the peer that says {@code hello} must not be used; null: it may. Two dials that are made before any
     * is answered expect nothing yet, so that the second answer can be from another cluster.
     */
    String refusal(Hello hello, boolean isConnected) {
        if (hello.getRole() != Role.ROLE_AGGREGATOR) {
            return "expected an aggregator, found " + hello.getRole();
        }
        ClusterIdentity expected = expected(isConnected);
        ClusterIdentity found = ClusterIdentity.of(hello);
        return expected.agreesWith(found) ? null : "expected " + expected + ", found " + found;
    }

    /** A connection was made to the peer that says {@code hello}. Returns how the cluster has changed; null: not. */
    String bind(Hello hello) {
        ClusterIdentity before = current;
        current = ClusterIdentity.of(hello);
        return before.agreesWith(current) ? null : "was " + before + ", is " + current;
    }
}
