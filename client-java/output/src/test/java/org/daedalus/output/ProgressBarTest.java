package org.daedalus.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bar says how far something is, how fast it goes, and how long it will take. */
class ProgressBarTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final PrintStream realError = System.err;
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private long nowNs;

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(shown, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void release() {
        System.setErr(realError);
    }

    private String after(long seconds, ProgressBar bar, long amount) {
        shown.reset();
        nowNs += seconds * SECOND_NS;
        bar.advance(amount);
        return shown.toString(StandardCharsets.UTF_8).strip();
    }

    @Test
    void shouldSayHowFastItGoesAndHowLongItWillTake() {
        ProgressBar rows = new ProgressBar("exporting t", 1_000_000, "rows", () -> nowNs);
        assertThat(after(1, rows, 50_000)).isEmpty();
        assertThat(after(9, rows, 50_000)).isEqualTo("exporting t: 10 %, 10,000 rows/s, 1:30 min left");
        assertThat(after(75, rows, 850_000)).isEqualTo("exporting t: 95 %, 11,176 rows/s, 4 s left");

        ProgressBar bytes = new ProgressBar("loading a.csv", 40_000_000_000L, ProgressBar.BYTES, () -> nowNs);
        assertThat(after(10, bytes, 50_000_000)).isEqualTo("loading a.csv: 0 %, 5.0 MB/s, 2:13 h left");
    }

    @Test
    void shouldCountWhatWasDoneBeforeInNoRate() {
        ProgressBar bar = new ProgressBar("loading a.csv", 10_000_000, ProgressBar.BYTES, () -> nowNs);
        bar.skip(8_000_000);
        assertThat(after(10, bar, 1_000_000)).isEqualTo("loading a.csv: 90 %, 0.1 MB/s, 10 s left");
    }
}
