package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServedGapsTest {
    private static final long PATIENCE_NS = 100;

    private final ServedGaps gaps = new ServedGaps();

    @Test
    void shouldServeAGapOnceUntilPatienceIsOver() {
        assertThat(gaps.isNew(0, 7, 1_000, PATIENCE_NS)).isTrue();
        assertThat(gaps.isNew(0, 7, 1_099, PATIENCE_NS)).isFalse();
        assertThat(gaps.isNew(0, 7, 1_100, PATIENCE_NS)).isTrue();
        assertThat(gaps.isNew(0, 7, 1_199, PATIENCE_NS)).isFalse();
    }

    @Test
    void shouldTakeAnotherGapOrThatOfAnotherNodeForNew() {
        assertThat(gaps.isNew(0, 7, 1_000, PATIENCE_NS)).isTrue();
        assertThat(gaps.isNew(1, 7, 1_000, PATIENCE_NS)).isTrue();
        assertThat(gaps.isNew(0, 8, 1_000, PATIENCE_NS)).isTrue();
    }
}
