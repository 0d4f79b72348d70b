package org.daedalus.client.internal.protocol;

import org.daedalus.wire.Features;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Role;

/** Peers say these first. */
final class Hellos {
    static final Hello AGGREGATOR = of("cluster", "schema");

    static final Hello KNOWS_MOMENTS = AGGREGATOR.toBuilder().setFeatures(Features.MOMENTS).build();

    private Hellos() {}

    static Hello of(String clusterId, String schemaFingerprint) {
        return Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setClusterId(clusterId)
                .setSchemaFingerprint(schemaFingerprint).build();
    }
}
