package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.daedalus.writer.journal.JournalLog;
import org.junit.jupiter.api.Test;

class JournalOptionsTest {
    private static final Path FOLDER = Path.of("journal");

    @Test
    void shouldHaveRoomForWhatIsRemembered() {
        assertThat(JournalOptions.of(FOLDER).bytesMax()).isEqualTo(1L << 30);
        assertThatThrownBy(() -> new JournalOptions(FOLDER, (64L << 20) - 1, false))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at least 67108864");
        WriterOptions usual = WriterOptions.of("writer", "writer:1", false);
        assertThat(usual.withJournalOf(1L << 30)).isEqualTo(usual);
        assertThat(usual.withJournalOf(64L << 20).submissionBytesMax()).isEqualTo(8L << 20);
    }

    @Test
    void shouldSayHowLongItWaits() {
        assertThat(JournalLog.Options.DEFAULT).isEqualTo(new JournalLog.Options(64L << 20, 500, 100));
        assertThat(JournalLog.CLOSE_MAX_MS).isEqualTo(5_000);
    }
}
