package org.daedalus.wire;

import org.daedalus.wire.v1.Hello;

/** Optional features, which a peer's hello names: both sides may use what both know. */
public final class Features {
    /**
     * The sender understands MARK, HOLD and moments of queries. An older build does not say so: nobody sends it any of
     * these.
     */
    public static final long MOMENTS = 1;

    private Features() {}

    /** Says whether the peer that says {@code hello} knows moments. */
    public static boolean knowsMoments(Hello hello) {
        return (hello.getFeatures() & MOMENTS) != 0;
    }
}
