package org.daedalus.client.internal.protocol;

import org.daedalus.wire.v1.Hello;

/**
 * Names the cluster that a connection is to, as its hello says: what was learnt of one cluster means nothing in
 * another.
 *
 * @param mapVersion of the partition map
 */
public record ClusterIdentity(String clusterId, String schemaFingerprint, long mapVersion) {
    /** No cluster has been met. */
    public static final ClusterIdentity NONE = new ClusterIdentity("", "", 0);

    static ClusterIdentity of(Hello hello) {
        return new ClusterIdentity(hello.getClusterId(), hello.getSchemaFingerprint(), hello.getMapVersion());
    }

    /** Says whether rows, timestamps and packed values mean the same in both; an empty name agrees with all. */
    public boolean agreesWith(ClusterIdentity other) {
        return agree(clusterId, other.clusterId) && agree(schemaFingerprint, other.schemaFingerprint);
    }

    private static boolean agree(String here, String there) {
        return here.isEmpty() || there.isEmpty() || here.equals(there);
    }

    @Override
    public String toString() {
        return "cluster " + clusterId + " with schema " + schemaFingerprint;
    }
}
