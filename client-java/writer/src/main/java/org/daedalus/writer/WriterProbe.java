package org.daedalus.writer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.daedalus.channel.Endpoint;

/** Looks whether another writer still runs. */
final class WriterProbe {
    /** Another writer that takes no connection for so long is none any more. */
    static final int WAIT_MAX_MS = 1_000;

    private WriterProbe() {}

    /** Says whether somebody takes a connection at the endpoint; waits for it. */
    static boolean answers(String endpoint, int maxMs) {
        try (Socket socket = new Socket()) {
            Endpoint parsed = Endpoint.parse(endpoint);
            socket.connect(new InetSocketAddress(parsed.host(), parsed.port()), maxMs);
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }
}
