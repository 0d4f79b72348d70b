package org.daedalus.channel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** Listens and accepts nobody; its queue is full, so that whoever dials it has no answer. */
final class DeafListener implements AutoCloseable {
    private static final int FULL_AFTER_MS = 100;

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> queue = new ArrayList<>();

    /** Listens at a free port. */
    DeafListener() throws IOException {
        while (dial()) {
            continue;
        }
    }

    /** False: there is no answer any more. */
    private boolean dial() throws IOException {
        Socket socket = new Socket();
        queue.add(socket);
        try {
            socket.connect(listener.getLocalSocketAddress(), FULL_AFTER_MS);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    /** Host and port. */
    String endpoint() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : queue) {
            socket.close();
        }
        listener.close();
    }
}
