package org.daedalus.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs in the place of stty show a terminal's size. */
class TerminalSizeTest {
    private static final long TIMEOUT_S = 20;
    private static final long SHORT_MS = 50;

    private static int columns(String script, long maxMs) {
        return TerminalSize.columns(new ProcessBuilder("sh", "-c", script), maxMs);
    }

    @Test
    void shouldTakeWhatIsSaid() {
        long maxMs = TimeUnit.SECONDS.toMillis(TIMEOUT_S);
        assertThat(columns("echo 40 132", maxMs)).isEqualTo(132);
        assertThat(columns("echo 0 0", maxMs)).as("a terminal that does not know").isEqualTo(80);
        assertThat(columns("echo 40 132; exit 1", maxMs)).isEqualTo(80);
        assertThat(columns("echo no terminal", maxMs)).isEqualTo(80);
        assertThat(columns("exit 1", maxMs)).isEqualTo(80);
    }

    @Test
    @Timeout(value = TIMEOUT_S, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldWaitHalfASecondForAProgramWhateverItDoesAndEndIt() throws Exception {
        assertThat(TerminalSize.STTY_MAX_MS).isEqualTo(500);
        for (String script : new String[] {
            "exec sleep 1000", "exec yes", "echo 40 132; exec sleep 1000", "echo 40 132; exec >&-; exec sleep 1000"}) {
            assertThat(columns(script, SHORT_MS)).as(script).isEqualTo(80);
            for (ProcessHandle started : ProcessHandle.current().children().toList()) {
                started.onExit().get();
            }
        }
    }
}
