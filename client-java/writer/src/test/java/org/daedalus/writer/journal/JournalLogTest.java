package org.daedalus.writer.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A record that is said to be durable is there after a loss of power, whatever the disk does meanwhile. */
class JournalLogTest {
    private static final long FILE_BYTES = 1 << 20;
    private final FaultyFolder folder = new FaultyFolder();

    @Test
    void shouldHaveWhatWasForcedAfterALossOfPower() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            journal.write("a", "b", "", "longer than eight bytes");
            assertThat(JournalFixture.read(folder.afterPowerLoss()))
                    .containsExactly("a", "b", "", "longer than eight bytes");
        }
    }

    @Test
    void shouldForceTogetherWhatCameMeanwhile() throws Exception {
        List<String> all = new ArrayList<>();
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            synchronized (folder) { // The first force waits here.
                journal.append("first");
                for (int number = 0; number < 5_000; number++) {
                    journal.append("record " + number);
                }
            }
            journal.awaitForced();
            assertThat(folder.forces()).as("of one header, and of two or three groups").isLessThanOrEqualTo(4);
            all.add("first");
            for (int number = 0; number < 5_000; number++) {
                all.add("record " + number);
            }
            assertThat(JournalFixture.read(folder.afterPowerLoss())).isEqualTo(all);
        }
    }

    @Test
    void shouldGoOnInANewFileBehindAFullOne() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, 8_192)) {
            String text = "x".repeat(1_000);
            for (int number = 0; number < 50; number++) {
                journal.write(text + number);
            }
            assertThat(folder.names()).hasSizeGreaterThan(5);
            assertThat(JournalFixture.read(folder.afterPowerLoss())).hasSize(50).endsWith(text + 49);
            JournalLog.FullFile oldest = journal.log().oldest();
            assertThat(oldest.firstPosition()).isZero();
            assertThat(oldest.lastTimestamp()).isBetween(3L, 10L);
            journal.log().deleteOldest(oldest, journal.log().endPosition() + 1);
            assertThat(journal.log().oldest()).as("one at a time, and not before the next record").isNull();
            journal.write("after");
            journal.write("and once more, so that the removal is over");
            assertThat(journal.log().oldest().firstPosition()).isEqualTo(oldest.endPosition());
            assertThat(JournalFixture.read(folder.copy())).hasSize(52 - (int) oldest.lastTimestamp());
        }
    }

    @Test
    void shouldGoOnBehindTheLastRecordOfTheLifeBefore() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            journal.write("a", "b");
        }
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            assertThat(journal.read).containsExactly("a", "b");
            journal.write("c");
        }
        assertThat(JournalFixture.read(folder)).containsExactly("a", "b", "c");
        assertThat(folder.names()).hasSize(2);
    }

    @Test
    void shouldRepeatInANewFileWhatAForceThatFailedMayHaveLost() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            journal.write("a");
            folder.failForces(1);
            journal.write("b", "c");
            assertThat(journal.problems).as("until it could be written again").hasSize(2).endsWith((String) null);
            assertThat(folder.forcesOfFailed()).isZero();
            assertThat(folder.names()).hasSize(2);
            assertThat(JournalFixture.read(folder.afterPowerLoss())).containsExactly("a", "b", "c");
            assertThat(JournalFixture.read(folder.copy())).as("the first file has it, too")
                    .containsExactly("a", "b", "c");
        }
    }

    @Test
    void shouldRepeatInANewFileWhatWasWrittenHalfWay() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            journal.write("a");
            folder.failWrites(1);
            journal.write("b".repeat(100), "c");
            assertThat(JournalFixture.read(folder.afterPowerLoss())).containsExactly("a", "b".repeat(100), "c");
        }
    }

    @Test
    void shouldGiveUpWhenFileAfterFileFails() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            journal.write("a");
            folder.failForces(JournalLog.FAILURES_MAX);
            journal.append("b");
            assertThat(journal.awaitLost()).contains("a force failed");
            assertThat(folder.forcesOfFailed()).isZero();
            assertThat(JournalFixture.read(folder.afterPowerLoss())).startsWith("a");
        }
    }

    @Test
    void shouldWaitForRoomOnAFullDisk() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, 16_384)) {
            journal.write("a");
            folder.leaveRoom(100);
            String large = "b".repeat(10_000);
            journal.append(large);
            journal.awaitProblems(2);
            assertThat(journal.problems.get(0)).contains("no room");
            assertThat(JournalFixture.read(folder.afterPowerLoss())).containsExactly("a");
            folder.leaveRoom(1 << 20);
            journal.awaitForced();
            journal.write("c");
            assertThat(journal.problems).endsWith((String) null);
            assertThat(folder.names()).as("the same file").hasSize(1);
            assertThat(JournalFixture.read(folder.afterPowerLoss())).containsExactly("a", large, "c");
        }
    }

    @Test
    void shouldWaitForRoomForANewFile() throws Exception {
        folder.leaveRoom(10);
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            journal.append("a");
            journal.awaitProblems(1);
            folder.leaveRoom(FILE_BYTES);
            journal.awaitForced();
        }
        assertThat(JournalFixture.read(folder)).containsExactly("a");
        assertThat(folder.names()).allMatch(JournalNames::isFile);
    }

    @Test
    void shouldForceSoonWhatNobodyWaitsFor() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, FILE_BYTES)) {
            journal.write("a");
            int before = folder.forces();
            journal.log().append(1, 2, 1, false, target -> target.put((byte) 'b'));
            for (long end = System.nanoTime() + 20_000_000_000L;
                    folder.forces() == before && System.nanoTime() < end;) {
                Thread.onSpinWait();
            }
            assertThat(folder.forces()).isEqualTo(before + 1);
        }
        assertThat(JournalFixture.read(folder.afterPowerLoss())).containsExactly("a", "b");
    }

    @Test
    void shouldMakeDurableWhatWasAppendedWhenItIsClosed() throws Exception {
        JournalFixture journal = new JournalFixture(folder, FILE_BYTES);
        journal.log().append(1, 1, 1, false, target -> target.put((byte) 'b'));
        journal.close();
        assertThat(JournalFixture.read(folder.afterPowerLoss())).containsExactly("b");
    }
}
