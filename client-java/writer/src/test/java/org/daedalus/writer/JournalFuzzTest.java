package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import org.daedalus.writer.journal.FaultyFolder;
import org.daedalus.writer.journal.JournalException;
import org.daedalus.writer.journal.JournalForger;
import org.daedalus.writer.journal.JournalReader;
import org.junit.jupiter.api.Test;

/** Journals that are anything: refused with a reason, or a writer begins with what was read. */
class JournalFuzzTest {
    private static final int ROUNDS = 3_000;

    @Test
    void shouldRefuseOrUnderstandAnyJournal() throws Exception {
        long seed = Seeds.next();
        Random random = new Random(seed);
        FaultyFolder whole = journal();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            FaultyFolder forged = whole.copy();
            for (String name : whole.names()) {
                if (random.nextBoolean()) {
                    forged.put(name, JournalForger.forge(whole.bytes(name), random));
                }
            }
            refused += isUnderstood(forged) ? 0 : 1;
        }
        assertThat(refused).as("of %d", ROUNDS).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 50);
    }

    /** Everything but {@link JournalException} is the test's failure. */
    private static boolean isUnderstood(FaultyFolder folder) throws IOException {
        WriterOptions options = WriterCoreTest.options(50);
        JournalRecovery recovery = new JournalRecovery(options, FunctionTable.get().language());
        try {
            JournalReader.read(folder, recovery);
            WriterCore core = new WriterCore(options, recovery.result(false));
            assertThat(core.lastNumbered()).isGreaterThanOrEqualTo(0);
            return true;
        } catch (JournalException e) {
            assertThat(e).hasMessageMatching("(?s).*(journal|file).*");
            return false;
        }
    }

    /** Two lives, some files, updates with and without an outcome. */
    private static FaultyFolder journal() throws Exception {
        JournaledLife.Nodes nodes = new JournaledLife.Nodes();
        FaultyFolder folder = new FaultyFolder();
        for (int life = 0; life < 2; life++) {
            JournaledLife each = new JournaledLife(folder, nodes, false, JournaledLife.BYTES_MAX, 1_000);
            each.settle();
            for (int number = 1; number <= 20; number++) {
                assertThat(each.submit(each.first(life * 100L + number))).isNull();
                each.awaitJournaled();
            }
            for (int answered = 0; answered < 9; answered++) {
                each.answerOne();
            }
            each.journal.close();
            folder = folder.afterPowerLoss();
        }
        assertThat(folder.names()).hasSizeGreaterThan(2);
        return folder;
    }
}
