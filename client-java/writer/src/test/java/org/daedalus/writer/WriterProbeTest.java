package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The probe finds another writer by a connection that it takes. */
class WriterProbeTest {
    private static final int TIMEOUT_S = 20;
    private static final int SHORT_MS = 50;

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private static boolean answers(ServerSocket listener) throws Exception {
        String endpoint = "127.0.0.1:" + listener.getLocalPort();
        return CompletableFuture.supplyAsync(() -> WriterProbe.answers(endpoint, SHORT_MS))
                .get(TIMEOUT_S, TimeUnit.SECONDS);
    }

    /** Connects until nobody is let in, which the listener does not notice. */
    private static List<Socket> fill(ServerSocket listener) throws IOException {
        List<Socket> queue = new ArrayList<>();
        try {
            while (true) {
                queue.add(new Socket());
                queue.get(queue.size() - 1).connect(listener.getLocalSocketAddress(), SHORT_MS);
            }
        } catch (SocketTimeoutException e) {
            return queue;
        }
    }

    @Test
    void shouldWaitASecondForAnotherWriterToTakeAConnection() throws Exception {
        assertThat(WriterProbe.WAIT_MAX_MS).isEqualTo(1_000);
        try (ServerSocket other = listen()) {
            assertThat(answers(other)).isTrue();
            List<Socket> queue = fill(other);
            assertThat(answers(other)).isFalse();
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    @Test
    void shouldKnowThatNobodyListens() throws Exception {
        ServerSocket gone = listen();
        gone.close();
        assertThat(answers(gone)).isFalse();
    }
}
