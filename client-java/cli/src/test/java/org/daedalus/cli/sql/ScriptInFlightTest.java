package org.daedalus.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.daedalus.client.FakeAggregator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Counts the INSERTs of a file that the shell sends before the oldest has ended, with a cluster that answers none. */
class ScriptInFlightTest {
    private static final Pattern ENDED = Pattern.compile("ERROR 57014");

    @RegisterExtension
    private final Said said = new Said();

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger underWayMost = new AtomicInteger();

    @TempDir
    private Path directory;

    /** Counts the statements under way; those that have ended have been printed before the next is sent. */
    private void count() {
        int ended = (int) ENDED.matcher(said.text()).results().count();
        underWayMost.accumulateAndGet(sent.incrementAndGet() - ended, Math::max);
    }

    /** The first to wait has to be there before the oldest has had its time: what is large gets more of it. */
    private void run(int statements, int size, int timeoutSeconds) throws Exception {
        String head = "INSERT INTO bookings VALUES ('";
        String tail = "')";
        String statement = head + "x".repeat(size - head.length() - tail.length()) + tail + ";\n";
        Path file = Files.writeString(directory.resolve("rows.sql"), statement.repeat(statements));
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> count())) {
            assertThat(Main.runCommand("sql", "-f", file.toString(), "--cluster", fake.endpoint(), "--timeout",
                    Integer.toString(timeoutSeconds)))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldWaitWith512InsertsUnderWay() throws Exception {
        run(600, 100, 2);
        assertThat(sent.get()).isEqualTo(600);
        assertThat(underWayMost.get()).as("and the one that has to wait").isEqualTo(512 + 1);
    }

    @Test
    void shouldWaitWithEightMebibytesUnderWay() throws Exception {
        run(20, 1 << 19, 4);
        assertThat(sent.get()).isEqualTo(20);
        assertThat(underWayMost.get()).as("and the one that has to wait").isEqualTo(16 + 1);
    }
}
