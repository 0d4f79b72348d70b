package org.daedalus.client.internal.answers;

import static org.assertj.core.api.Assertions.assertThat;

import org.daedalus.client.internal.answers.BufferSpace.Room;
import org.junit.jupiter.api.Test;

/** One answer that nobody reads takes most of the room, and never all of it. */
class BufferSpaceTest {
    private final BufferSpace space = new BufferSpace(800);

    /** Returns how many bytes one answer can have that has {@code had}, one after the other. */
    private long fill(long had) {
        long has = had;
        while (space.reserve(1, has) == Room.RESERVED) {
            has++;
        }
        return has;
    }

    @Test
    void shouldGiveAnAnswerThatIsAloneSevenEighths() {
        assertThat(fill(0)).isBetween(700L, 701L);
        assertThat(space.bytes()).as("what was refused is not counted").isBetween(700L, 701L);
    }

    @Test
    void shouldKeepRoomForOthersHoweverManyAnswersAreNotRead() {
        long first = fill(0);
        long second = fill(0);
        long third = fill(0);
        assertThat(second).isBetween(87L, 93L);
        assertThat(third).isPositive();
        assertThat(space.bytes()).isEqualTo(first + second + third).isLessThan(800);
        assertThat(space.reserve(1, first)).as("who has most is the one that breaks off").isEqualTo(Room.TAKEN_ALONE);
    }

    @Test
    void shouldTellWhoIsRefusedBecauseOfOthersToComeBack() {
        long first = fill(0);
        assertThat(space.reserve(100, 0)).isEqualTo(Room.TAKEN_BY_OTHERS);
        assertThat(space.reserve(100, first)).isEqualTo(Room.TAKEN_ALONE);
        space.release(first);
        assertThat(space.bytes()).isZero();
        assertThat(space.reserve(100, 0)).isEqualTo(Room.RESERVED);
    }

    @Test
    void shouldCallAnAnswerTooLargeThatHasMoreThanHalfAlone() {
        assertThat(space.reserve(801, 0)).isEqualTo(Room.TAKEN_ALONE);
        assertThat(space.reserve(400, 0)).isEqualTo(Room.RESERVED);
        assertThat(space.reserve(400, 0)).as("exactly half").isEqualTo(Room.TAKEN_BY_OTHERS);
        assertThat(space.reserve(401, 0)).as("more than half").isEqualTo(Room.TAKEN_ALONE);
        assertThat(space.bytes()).isEqualTo(400);
    }

    @Test
    void shouldUsuallyTakeAQuarterOfASmallHeap() {
        assertThat(BufferSpace.usualBytesMax(8L << 30)).isEqualTo(256L << 20);
        assertThat(BufferSpace.usualBytesMax(1L << 30)).isEqualTo(256L << 20);
        assertThat(BufferSpace.usualBytesMax(128L << 20)).isEqualTo(32L << 20);
        assertThat(BufferSpace.usualBytesMax(Long.MAX_VALUE)).isEqualTo(256L << 20);
    }
}
