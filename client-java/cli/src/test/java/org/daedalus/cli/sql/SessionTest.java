package org.daedalus.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.daedalus.client.DaedalusClient;
import org.junit.jupiter.api.Test;

class SessionTest {
    @Test
    void shouldWaitThirtySecondsForTheFirstContact() throws Exception {
        assertThat(Session.FIRST_CONTACT_MAX).isEqualTo(Duration.ofSeconds(30));
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                DaedalusClient client =
                        DaedalusClient.builder().aggregators("127.0.0.1:" + silent.getLocalPort()).build()) {
            Session session = new Session(client, new Settings());
            long startNs = System.nanoTime();
            session.awaitContact(Duration.ofMillis(50));
            assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(Duration.ofMillis(50).toNanos());
            assertThat(client.firstContact()).as("it is given up before the silent one is").isNotDone();
        }
    }
}
