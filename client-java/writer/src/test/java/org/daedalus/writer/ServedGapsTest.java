package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServedGapsTest {
    private static final long WAIT_NS = 100;

    private final ServedGaps gaps = new ServedGaps();

    @Test
    void shouldServeAGapOnceUntilTheWaitIsOver() {
        assertThat(gaps.isNew(0, 7, 1_000, WAIT_NS)).isTrue();
        assertThat(gaps.isNew(0, 7, 1_099, WAIT_NS)).isFalse();
        assertThat(gaps.isNew(0, 7, 1_100, WAIT_NS)).isTrue();
        assertThat(gaps.isNew(0, 7, 1_199, WAIT_NS)).isFalse();
    }

    @Test
    void shouldTakeAnotherGapOrThatOfAnotherNodeForNew() {
        assertThat(gaps.isNew(0, 7, 1_000, WAIT_NS)).isTrue();
        assertThat(gaps.isNew(1, 7, 1_000, WAIT_NS)).isTrue();
        assertThat(gaps.isNew(0, 8, 1_000, WAIT_NS)).isTrue();
    }
}
