package org.daedalus.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;
import org.junit.jupiter.api.Test;

class PeerNetworkTest {
    private static final long TIMEOUT_S = 20;

    private static final class Recorder implements PeerHandler {
        private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

        @Override
        public void onUp(Peer peer) {
            events.add(peer);
        }

        @Override
        public void onDown(Peer peer, String reason) {
            events.add("down: " + reason);
        }

        @Override
        public void onDialFailed(String endpoint, String reason) {
            events.add("failed: " + reason);
        }

        @Override
        public void onOperation(Peer peer, Operation operation) {
            long sequence = operation.getHeader().getSequence();
            peer.send(Result.newBuilder().setSequence(sequence).build());
        }

        @Override
        public void onResult(Peer peer, Result result) {
            events.add(result.getSequence());
        }

        Object next() throws InterruptedException {
            return events.poll(TIMEOUT_S, TimeUnit.SECONDS);
        }
    }

    private final Recorder client = new Recorder();
    private final Recorder server = new Recorder();

    private static PeerNetwork network(Role role, PeerHandler handler) {
        return network(role, handler, PeerNetwork.Waits.DEFAULT);
    }

    private static PeerNetwork network(Role role, PeerHandler handler, PeerNetwork.Waits waits) {
        return network(role, handler, waits, System::nanoTime);
    }

    private static PeerNetwork network(Role role, PeerHandler handler, PeerNetwork.Waits waits, LongSupplier clock) {
        Hello hello = Hello.newBuilder().setRole(role).setName(role.name()).build();
        return new PeerNetwork(role.name(), () -> hello, ChannelLimits.DEFAULT, handler, waits, clock);
    }

    @Test
    void shouldCarryOperationsDownAndResultsUp() throws Exception {
        try (PeerNetwork below = network(Role.ROLE_AGGREGATOR, server);
                PeerNetwork above = network(Role.ROLE_CLIENT, client)) {
            int port = below.listen("127.0.0.1", 0).getPort();
            above.dial("127.0.0.1:" + port);
            Peer peer = (Peer) client.next();
            assertThat(peer.hello().getName()).isEqualTo("ROLE_AGGREGATOR");
            assertThat(peer.dialledEndpoint()).contains("127.0.0.1:" + port);
            above.execute(() -> {
                for (int sequence = 1; sequence <= 1_000; sequence++) {
                    peer.send(Operation.newBuilder()
                            .setHeader(OperationHeader.newBuilder().setSequence(sequence)).build());
                }
            });
            for (long sequence = 1; sequence <= 1_000; sequence++) {
                assertThat(client.next()).isEqualTo(sequence);
            }
        }
    }

    @Test
    void shouldDialAgainAfterLossAndSayWhyItFailed() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (PeerNetwork above = network(Role.ROLE_CLIENT, client)) {
            above.dial("127.0.0.1:" + port);
            assertThat((String) client.next()).isEqualTo("failed: Connection refused");
            try (PeerNetwork below = network(Role.ROLE_AGGREGATOR, server)) {
                below.listen("127.0.0.1", port);
                Object event = client.next();
                while (!(event instanceof Peer)) {
                    event = client.next();
                }
                assertThat(server.next()).isInstanceOf(Peer.class);
            }
            assertThat((String) client.next()).isEqualTo("down: peer said goodbye: shutting down");
            assertThat((String) client.next()).isEqualTo("failed: Connection refused");
        }
    }

    @Test
    void shouldSayHowLongItWaits() {
        assertThat(PeerNetwork.Waits.DEFAULT).isEqualTo(new PeerNetwork.Waits(2_000, 20, 1_000, 2_000));
    }

    @Test
    void shouldDialLaterAndLaterUpToAMaximum() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (PeerNetwork above = network(Role.ROLE_CLIENT, client, new PeerNetwork.Waits(2_000, 10, 40, 2_000))) {
            long startNs = System.nanoTime();
            above.dial("127.0.0.1:" + port);
            for (int dialled = 1; dialled <= 10; dialled++) {
                assertThat((String) client.next()).isEqualTo("failed: Connection refused");
            }
            long waitedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            assertThat(waitedMs).isGreaterThanOrEqualTo(10 + 20 + 7 * 40);
            assertThat(waitedMs).as("it doubles for ever").isLessThan(10 * ((1 << 9) - 1));
        }
    }

    @Test
    void shouldGiveUpDiallingWhoDoesNotAnswer() throws Exception {
        try (DeafListener deaf = new DeafListener();
                PeerNetwork above = network(Role.ROLE_CLIENT, client, new PeerNetwork.Waits(50, 20, 1_000, 2_000))) {
            above.dial(deaf.endpoint());
            assertThat((String) client.next()).isEqualTo("failed: connection timed out after 50 ms");
        }
    }

    @Test
    void shouldWaitForItsThreadNoLongerThanItMay() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        PeerNetwork stuck = network(Role.ROLE_CLIENT, client, new PeerNetwork.Waits(2_000, 20, 1_000, 50));
        stuck.execute(() -> awaitUninterruptibly(release));
        long startNs = System.nanoTime();
        CompletableFuture.runAsync(stuck::close).get(TIMEOUT_S, TimeUnit.SECONDS);
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs)).isGreaterThanOrEqualTo(2 * 50);
        release.countDown();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldCloseConnectionsBeyondItsMaximum() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        // Its clock stands, so that no connection is closed because it says nothing.
        try (PeerNetwork below = network(Role.ROLE_AGGREGATOR, server, PeerNetwork.Waits.DEFAULT, () -> 0)) {
            int port = below.listen("127.0.0.1", 0).getPort();
            for (int i = 0; i < PeerNetwork.ACCEPTED_MAX; i++) {
                sockets.add(connect(port));
                assertThat(sockets.get(i).getInputStream().read()).as("a hello").isNotEqualTo(-1);
            }
            try (Socket oneTooMany = connect(port)) {
                assertThat(oneTooMany.getInputStream().read()).isEqualTo(-1);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TIMEOUT_S));
        return socket;
    }

    @Test
    void shouldCloseConnectionThatSpeaksGarbageAndServeOthers() throws Exception {
        try (PeerNetwork below = network(Role.ROLE_AGGREGATOR, server);
                PeerNetwork above = network(Role.ROLE_CLIENT, client)) {
            int port = below.listen("127.0.0.1", 0).getPort();
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TIMEOUT_S));
                socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes());
                InputStream in = socket.getInputStream();
                assertThat(new String(in.readAllBytes())).contains("malformed");
            }
            above.dial("127.0.0.1:" + port);
            assertThat(client.next()).isInstanceOf(Peer.class);
        }
    }

    @Test
    void shouldNamePortInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0);
                PeerNetwork below = network(Role.ROLE_AGGREGATOR, server)) {
            assertThatThrownBy(() -> below.listen("127.0.0.1", taken.getLocalPort()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("in use");
        }
    }

    /** Handles each operation for a tenth of the time in which a peer must be heard, as a cold process does. */
    private static final class Slow implements PeerHandler {
        private final long busyNs;

        Slow(long busyNs) {
            this.busyNs = busyNs;
        }

        @Override
        public void onUp(Peer peer) {
            // Whoever dialled speaks first.
        }

        @Override
        public void onDown(Peer peer, String reason) {
            // The other side tells.
        }

        @Override
        public void onOperation(Peer peer, Operation operation) {
            long endNs = System.nanoTime() + busyNs;
            while (System.nanoTime() < endNs) {
                Thread.onSpinWait();
            }
            peer.send(Result.newBuilder().setSequence(operation.getHeader().getSequence()).build());
        }
    }

    @Test
    void shouldSeemAliveWhileItIsBusyWithOneLongTurn() throws Exception {
        long deadNs = 300_000_000L;
        ChannelLimits shortLimits = new ChannelLimits(deadNs / 4, deadNs, 16 << 20, 1 << 20, 64L << 20);
        Hello below = Hello.newBuilder().setRole(Role.ROLE_WRITER).setName("slow").build();
        Hello above = Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setName("fast").build();
        try (PeerNetwork slow = new PeerNetwork("slow", () -> below, shortLimits, new Slow(deadNs / 10));
                PeerNetwork fast = new PeerNetwork("fast", () -> above, shortLimits, client)) {
            fast.dial("127.0.0.1:" + slow.listen("127.0.0.1", 0).getPort());
            Peer peer = (Peer) client.next();
            fast.execute(() -> {
                for (int sequence = 1; sequence <= 50; sequence++) {
                    peer.send(Operation.newBuilder()
                            .setHeader(OperationHeader.newBuilder().setSequence(sequence)).build());
                }
            });
            for (long sequence = 1; sequence <= 50; sequence++) {
                assertThat(client.next()).isEqualTo(sequence);
            }
        }
    }

    @Test
    void shouldNotTakeForSilenceWhatItHadNoTimeToHear() throws Exception {
        long deadNs = 300_000_000L;
        ChannelLimits shortLimits = new ChannelLimits(deadNs / 4, deadNs, 16 << 20, 1 << 20, 64L << 20);
        Hello below = Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setName("below").build();
        Hello above = Hello.newBuilder().setRole(Role.ROLE_CLIENT).setName("above").build();
        try (PeerNetwork serving = new PeerNetwork("serving", () -> below, shortLimits, server);
                PeerNetwork busy = new PeerNetwork("busy", () -> above, shortLimits, client)) {
            busy.dial("127.0.0.1:" + serving.listen("127.0.0.1", 0).getPort());
            Peer peer = (Peer) client.next();
            for (int task = 1; task <= 30; task++) {
                busy.execute(() -> {
                    long endNs = System.nanoTime() + deadNs / 10;
                    while (System.nanoTime() < endNs) {
                        Thread.onSpinWait();
                    }
                });
            }
            busy.execute(() -> peer.send(Operation.newBuilder()
                    .setHeader(OperationHeader.newBuilder().setSequence(7)).build()));
            assertThat(client.next()).isEqualTo(7L);
        }
    }

    @Test
    void shouldNumberSocketsWithoutLookingForANetworkCard() throws Exception {
        Sockets.Dialled dialled = new Sockets.Dialled();
        Sockets.Listening listening = new Sockets.Listening();
        assertThat(dialled.id()).isInstanceOf(Sockets.Id.class);
        assertThat(listening.id()).isInstanceOf(Sockets.Id.class).isGreaterThan(dialled.id());
        dialled.unsafe().closeForcibly();
        listening.unsafe().closeForcibly();
    }
}
