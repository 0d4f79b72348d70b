package org.daedalus.writer.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A tail that was torn is cut; everything else that is not as it was written is found, and named. */
class JournalReaderTest {
    private static final String FIRST = JournalNames.of(0);
    private static final String SECOND = JournalNames.of(1);
    private static final int TEXT_SIZE = 50;
    private static final int FRAME_SIZE = JournalFrame.size(TEXT_SIZE);

    private final FaultyFolder folder = new FaultyFolder();
    private final List<String> texts =
            IntStream.range(0, 6).mapToObj(number -> String.valueOf(number).repeat(TEXT_SIZE)).toList();

    @BeforeEach
    void writeTwoFiles() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, 1 << 16)) {
            journal.write(texts.get(0), texts.get(1), texts.get(2));
        }
        try (JournalFixture journal = new JournalFixture(folder, 1 << 16)) {
            journal.write(texts.get(3), texts.get(4), texts.get(5));
        }
        assertThat(folder.names()).containsExactly(FIRST, SECOND);
    }

    private FaultyFolder with(String name, byte[] bytes) {
        FaultyFolder changed = folder.copy();
        changed.put(name, bytes);
        return changed;
    }

    @Test
    void shouldCutATailThatWasTornAtAnyByte() throws IOException {
        byte[] whole = folder.bytes(SECOND);
        int last = JournalHeader.SIZE + 2 * FRAME_SIZE;
        for (int cut = last; cut < last + JournalFrame.HEADER_SIZE + TEXT_SIZE; cut++) {
            byte[] torn = whole.clone();
            Arrays.fill(torn, cut, torn.length, (byte) 0);
            assertThat(JournalFixture.read(with(SECOND, torn))).as("torn at %d", cut).isEqualTo(texts.subList(0, 5));
            assertThat(JournalFixture.read(with(SECOND, Arrays.copyOf(whole, cut)))).as("short at %d", cut)
                    .isEqualTo(texts.subList(0, 5));
        }
    }

    @Test
    void shouldCutATailOfWhichOnlyTheEndWasWritten() throws IOException {
        byte[] torn = folder.bytes(SECOND);
        int last = JournalHeader.SIZE + 2 * FRAME_SIZE;
        Arrays.fill(torn, last, last + 40, (byte) 0);
        assertThat(JournalFixture.read(with(SECOND, torn))).isEqualTo(texts.subList(0, 5));
    }

    @Test
    void shouldFindEveryFlipThatIsNotInTheTail() throws IOException {
        int inTail = 0;
        for (String name : List.of(FIRST, SECOND)) {
            byte[] whole = folder.bytes(name);
            int end = JournalHeader.SIZE + 3 * FRAME_SIZE;
            for (int at = 0; at < end; at += 7) {
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << at % 8);
                try {
                    assertThat(JournalFixture.read(with(name, flipped))).as("%s at %d", name, at)
                            .isEqualTo(texts.subList(0, 5));
                    assertThat(name).isEqualTo(SECOND);
                    assertThat(at).as("the last record").isGreaterThanOrEqualTo(end - FRAME_SIZE);
                    inTail++;
                } catch (JournalException e) {
                    assertThat(e).hasMessageContaining("folder/" + name).hasMessageContaining("offset");
                    assertThat(e.hint()).isNotEmpty();
                }
            }
        }
        assertThat(inTail).isPositive();
    }

    @Test
    void shouldNameFileAndOffset() {
        byte[] flipped = folder.bytes(SECOND);
        int second = JournalHeader.SIZE + FRAME_SIZE;
        flipped[second + 40] ^= 1;
        assertThatThrownBy(() -> JournalFixture.read(with(SECOND, flipped))).isInstanceOf(JournalException.class)
                .hasMessageContaining(SECOND + ", offset " + second).hasMessageContaining("had been durable");
    }

    @Test
    void shouldNotTakeARecordForOneOfAnotherPlace() {
        byte[] moved = folder.bytes(FIRST);
        System.arraycopy(moved, JournalHeader.SIZE, moved, JournalHeader.SIZE + FRAME_SIZE, FRAME_SIZE);
        assertThatThrownBy(() -> JournalFixture.read(with(FIRST, moved))).isInstanceOf(JournalException.class)
                .hasMessageContaining("the next file begins");
    }

    @Test
    void shouldNotTakeFilesThatAreNotItsOwn() {
        assertThatThrownBy(() -> JournalFixture.read(with(JournalNames.of(7), folder.bytes(SECOND))))
                .isInstanceOf(JournalException.class).hasMessageContaining("was written as " + SECOND);
    }

    @Test
    void shouldMissAFileInTheMiddle() throws Exception {
        try (JournalFixture journal = new JournalFixture(folder, 1 << 16)) {
            journal.write("third");
        }
        folder.delete(SECOND);
        assertThatThrownBy(() -> JournalFixture.read(folder)).isInstanceOf(JournalException.class)
                .hasMessageContaining(FIRST);
    }

    @Test
    void shouldRemoveAFileThatWasNeverFinished() throws IOException {
        folder.put(JournalNames.unfinished(2), new byte[100]);
        folder.put("lock", new byte[0]);
        assertThat(JournalFixture.read(folder)).isEqualTo(texts);
        assertThat(folder.names()).contains("lock").doesNotContain(JournalNames.unfinished(2));
    }

    @Test
    void shouldRefuseAnotherVersion() {
        JournalHeader header = new JournalHeader(1, 0, 0, 1, 0, 0, 0, "", JournalFixture.IDENTITY, 0);
        byte[] other = header.encode().array();
        other[12] = 2;
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(other, 12, other.length - 12);
        java.nio.ByteBuffer.wrap(other).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(8, (int) crc.getValue());
        FaultyFolder newer = new FaultyFolder();
        newer.put(FIRST, other);
        assertThatThrownBy(() -> JournalFixture.read(newer)).isInstanceOf(JournalException.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void shouldReadRecordsLargerThanItsWindow() throws Exception {
        String large = "x".repeat(3 << 20);
        FaultyFolder other = new FaultyFolder();
        try (JournalFixture journal = new JournalFixture(other, 1 << 16)) {
            journal.write("a", large, "b");
        }
        assertThat(JournalFixture.read(other)).containsExactly("a", large, "b");
    }
}
