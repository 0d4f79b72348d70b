package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.daedalus.writer.journal.FaultyFolder;
import org.junit.jupiter.api.Test;

/**
 * A journal that the first version wrote is read by each later one: the file stays as it is. With
 * {@code DAEDALUS_WRITE_GOLDEN=VERSION} that of another version is written.
 *
 * <p>A line is a file's name, its size and its bytes up to the last one that is not zero.
 */
class GoldenJournalTest {
    private static final long NUMBERED = 12;
    private static final int ANSWERED = 7;

    private static Path file(String version) {
        return Path.of("src/test/golden", "journal-" + version + ".txt");
    }

    /** Two lives; of the updates of the second one some are confirmed, and none has settled. */
    private static FaultyFolder written() throws Exception {
        JournaledLife.Nodes nodes = new JournaledLife.Nodes();
        JournaledLife first = new JournaledLife(new FaultyFolder(), nodes, false);
        submit(first, 1, 5);
        first.settle();
        first.journal.close();
        JournaledLife second = new JournaledLife(first.folder.afterPowerLoss(), nodes, false);
        submit(second, 6, NUMBERED);
        for (int answered = 5; answered < ANSWERED; answered++) {
            second.answerOne();
        }
        second.journal.close();
        return second.folder.copy();
    }

    private static void submit(JournaledLife life, long from, long to) throws InterruptedException {
        for (long number = from; number <= to; number++) {
            assertThat(life.submit(life.first(number))).isNull();
        }
        life.awaitJournaled();
    }

    private static void write(FaultyFolder folder, Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String name : folder.names()) {
            byte[] bytes = folder.bytes(name);
            int used = bytes.length;
            while (used > 0 && bytes[used - 1] == 0) {
                used--;
            }
            lines.add(name + " " + bytes.length + " " + HexFormat.of().formatHex(bytes, 0, used));
        }
        Files.write(file, lines);
    }

    private static FaultyFolder read(Path file) throws IOException {
        FaultyFolder folder = new FaultyFolder();
        for (String line : Files.readAllLines(file)) {
            String[] fields = line.split(" ");
            folder.put(fields[0], Arrays.copyOf(HexFormat.of().parseHex(fields[2]), Integer.parseInt(fields[1])));
        }
        return folder;
    }

    @Test
    void shouldGoOnWithTheJournalOfTheFirstVersion() throws Exception {
        String version = System.getenv("DAEDALUS_WRITE_GOLDEN");
        if (version != null) {
            write(written(), file(version));
        }
        JournaledLife.Nodes nodes = new JournaledLife.Nodes();
        JournaledLife life = new JournaledLife(read(file("0.1.0")), nodes, false);
        RecoveredJournal recovered = life.journal.recovered();
        assertThat(recovered.lastNumbered()).isEqualTo(NUMBERED);
        assertThat(recovered.updates()).extracting(RecoveredJournal.Update::timestamp)
                .containsExactly(6L, 7L, 8L, 9L, 10L, 11L, 12L);
        assertThat(recovered.updates()).allSatisfy(update -> assertThat(update.update().body.toStringUtf8())
                .isEqualTo("body of " + update.timestamp()));
        assertThat(recovered.submissions()).hasSize((int) NUMBERED);
        for (long number = 1; number <= ANSWERED; number++) {
            assertThat(life.submit(JournaledLife.submission(number, 1, 0, true))).isNull();
            assertThat(life.outcomes.get(new SubmissionKey(1, 2, number)).getTimestamp()).isEqualTo(number);
        }
    }
}
