package org.daedalus.load;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.PreparedStatement;

/** The statements of a program, each prepared once. Thread-safe. */
final class Prepared {
    /** A program has a few hundred; who asks more different ones has each of the others prepared for one use. */
    private static final int KEPT_MAX = 65_536;

    private final DaedalusClient client;
    private final Map<String, PreparedStatement> statements = new ConcurrentHashMap<>();

    Prepared(DaedalusClient client) {
        this.client = client;
    }

    PreparedStatement of(String text) {
        PreparedStatement known = statements.get(text);
        if (known != null) {
            return known;
        }
        return statements.size() < KEPT_MAX ? statements.computeIfAbsent(text, client::prepare)
                : client.prepare(text);
    }
}
