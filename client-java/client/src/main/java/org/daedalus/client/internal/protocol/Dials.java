package org.daedalus.client.internal.protocol;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.internal.protocol.ClientErrors.DialFailure;

/** Remembers for each endpoint how the last attempt to connect failed. Not thread-safe. */
final class Dials {
    /** Maps an endpoint to null while it is dialled for the first time or after a loss. */
    private final Map<String, DialFailure> failures = new LinkedHashMap<>();

    Dials(List<String> endpoints) {
        endpoints.forEach(this::onOpen);
    }

    /** Forgets the endpoint's failure: it is connected, or dialled anew after a loss. */
    void onOpen(String endpoint) {
        failures.put(endpoint, null);
    }

    void onFailed(String endpoint, String reason, boolean isForeign) {
        failures.put(endpoint, new DialFailure(reason, isForeign));
    }

    boolean haveAllFailed() {
        return failures.values().stream().allMatch(Objects::nonNull);
    }

    /** Returns the failure of a request that no aggregator can take; all endpoints must have failed. */
    DaedalusException failure() {
        return ClientErrors.unreachable(failures);
    }
}
