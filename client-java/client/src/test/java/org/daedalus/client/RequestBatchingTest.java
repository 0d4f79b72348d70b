package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.daedalus.wire.Frame;
import org.daedalus.wire.FrameType;
import org.daedalus.wire.Framer;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.KeepAlive;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.ResultBatch;
import org.daedalus.wire.v1.Role;
import org.daedalus.wire.v1.StatusReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of many threads share frames, seen from the other end of a plain socket. */
@Timeout(60)
class RequestBatchingTest {
    private static final long TIMEOUT_S = 20;

    private final BlockingQueue<OperationBatch> frames = new LinkedBlockingQueue<>();
    private ServerSocket listener;
    private volatile Socket socket;
    private Thread server;
    private DaedalusClient client;

    @BeforeEach
    void connect() throws Exception {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        server = new Thread(this::serve, "one-connection");
        server.start();
        client = DaedalusClient.builder().aggregators("127.0.0.1:" + listener.getLocalPort())
                .requestTimeout(Duration.ofSeconds(TIMEOUT_S)).build();
    }

    @AfterEach
    void disconnect() throws Exception {
        client.close();
        listener.close();
        server.join();
    }

    private void serve() {
        try (Socket accepted = listener.accept()) {
            socket = accepted;
            say(FrameType.HELLO, Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setFrameSizeMax(Frame.SIZE_MAX)
                    .build().toByteArray());
            Framer framer = new Framer(Frame.SIZE_MAX);
            InputStream in = accepted.getInputStream();
            byte[] bytes = new byte[1 << 16];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                for (Frame frame : framer.feed(ByteBuffer.wrap(bytes, 0, length))) {
                    if (frame.type() == FrameType.OPERATIONS) {
                        frames.add(OperationBatch.parseFrom(frame.payload()));
                    } else if (frame.type() == FrameType.KEEP_ALIVE) {
                        say(FrameType.KEEP_ALIVE, KeepAlive.getDefaultInstance().toByteArray());
                    }
                }
            }
        } catch (IOException | WireException e) {
            frames.clear(); // The client is gone; a test that still waits for a frame will say so.
        }
    }

    private synchronized void say(FrameType type, byte[] payload) throws IOException {
        socket.getOutputStream().write(new Frame(type, payload).encode());
    }

    private OperationBatch nextFrame() throws InterruptedException {
        return frames.poll(TIMEOUT_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldPutAllThatComesWhileTheNetworkIsBusyIntoOneFrame() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        client.status().thenAccept(status -> {
            busy.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        OperationBatch first = nextFrame();
        say(FrameType.RESULTS, ResultBatch.newBuilder().addResults(Result.newBuilder()
                .setSequence(first.getOperations(0).getHeader().getSequence())
                .setStatus(StatusReply.getDefaultInstance())).build().toByteArray());
        busy.await();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int query = 0; query < 50; query++) {
                    client.query("SELECT 1");
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(frames).isEmpty();
        go.countDown();
        assertThat(nextFrame().getOperationsCount()).isEqualTo(4 * 50);
        assertThat(frames).isEmpty();
    }

    @Test
    void shouldSendALoneRequestByItself() throws Exception {
        for (int query = 0; query < 20; query++) {
            client.query("SELECT 1");
            assertThat(nextFrame().getOperationsCount()).isEqualTo(1);
        }
        assertThat(frames).isEmpty();
    }
}
