package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriterStatus;
import org.daedalus.writer.journal.DiskFullException;
import org.daedalus.writer.journal.FaultyFolder;
import org.daedalus.writer.journal.JournalException;
import org.daedalus.writer.journal.JournalHeader;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** A writer that is killed and comes back with its journal: nothing is numbered twice, nothing lost, nobody misled. */
class JournaledWriterTest {
    private final JournaledLife.Nodes nodes = new JournaledLife.Nodes();

    private JournaledLife begin() throws IOException {
        return new JournaledLife(new FaultyFolder(), nodes, false);
    }

    /** Returns the next life after a loss of power. */
    private JournaledLife again(JournaledLife before) throws IOException {
        before.journal.close();
        return new JournaledLife(before.folder.afterPowerLoss(), nodes, false);
    }

    private static void submit(JournaledLife life, long from, long to) {
        for (long number = from; number <= to; number++) {
            assertThat(life.submit(life.first(number))).isNull();
        }
    }

    @Test
    void shouldSendNothingBeforeItIsDurable() throws Exception {
        JournaledLife life = begin();
        submit(life, 1, 10);
        assertThat(life.open).isEmpty();
        life.awaitJournaled();
        assertThat(life.open).hasSize(10);
        assertThat(again(life).core.lastNumbered()).isEqualTo(10);
    }

    @Test
    void shouldGoOnWithWhatIsNotSettled() throws Exception {
        JournaledLife life = begin();
        submit(life, 1, 10);
        life.awaitJournaled();
        for (int answered = 0; answered < 4; answered++) {
            life.answerOne();
        }
        JournaledLife next = again(life);
        assertThat(next.core.epoch()).isEqualTo(2);
        assertThat(next.journal.recovered().lastNumbered()).isEqualTo(10);
        next.settle();
        assertThat(nodes.accepted()).isEqualTo(10);
        for (long number = 1; number <= 10; number++) {
            assertThat(next.submit(JournaledLife.submission(number, 1, 0, true))).isNull();
        }
        assertThat(next.outcomes).hasSize(10);
        submit(next, 11, 11);
        assertThat(next.core.lastNumbered()).isEqualTo(11);
    }

    @Test
    void shouldRepeatOutcomesAcrossLives() throws Exception {
        JournaledLife life = begin();
        submit(life, 1, 3);
        life.awaitJournaled();
        life.settle();
        life.journal.close();
        JournaledLife next = again(life);
        assertThat(next.submit(JournaledLife.submission(2, 1, 0, true))).isNull();
        assertThat(next.outcomes).isEqualTo(Map.of(new SubmissionKey(1, 2, 2),
                life.outcomes.get(new SubmissionKey(1, 2, 2))));
        assertThat(next.core.lastNumbered()).isEqualTo(3);
    }

    @Test
    void shouldRememberAsMuchAsBeforeAndKnowWhatItHasForgotten() throws Exception {
        JournaledLife life = begin();
        for (long number = 1; number <= 200; number++) {
            submit(life, number, number);
            life.awaitJournaled();
            life.answerAll();
        }
        life.settle();
        WriterStatus before = life.core.status().build();
        JournaledLife next = again(life);
        WriterStatus after = next.core.status().build();
        assertThat(after.getSubmissionsKnown()).isEqualTo(before.getSubmissionsKnown()).isEqualTo(64);
        assertThat(after.getForgottenThrough()).isEqualTo(before.getForgottenThrough()).isEqualTo(136);
        assertThat(next.submit(JournaledLife.submission(136, 1, 135, true)).error().getSqlstate()).isEqualTo("08007");
        assertThat(next.submit(JournaledLife.submission(137, 1, 136, true))).isNull();
        assertThat(next.outcomes).hasSize(1);
    }

    @Test
    void shouldRemoveFilesAndCarryOnWhatIsStillRemembered() throws Exception {
        JournaledLife life = new JournaledLife(new FaultyFolder(), nodes, false, JournaledLife.BYTES_MAX, 4_096);
        submit(life, 1, 20);
        life.awaitJournaled();
        life.settle();
        for (int round = 0; round < 20; round++) {
            for (long number = 1; number <= 20; number++) {
                submit(life, 100 + 20 * round + number, 100 + 20 * round + number);
                life.awaitJournaled();
                life.answerAll();
            }
            life.settle();
        }
        life.awaitEvent();
        assertThat(life.folder.names()).as("of more than %d", 400 * 120 / 4_096).hasSizeLessThan(8);
        JournaledLife next = again(life);
        assertThat(next.core.status().getSubmissionsKnown()).isEqualTo(64);
        for (long number = 500 - 63; number <= 500; number++) {
            assertThat(next.submit(JournaledLife.submission(number, 1, 400, true))).isNull();
        }
        assertThat(next.outcomes).hasSize(64);
        assertThat(next.core.lastNumbered()).isEqualTo(420);
    }

    /** A file's submissions are written once more before the file goes, however old they are. */
    @Test
    void shouldCarryOnWhatWasForgottenByNobodyThroughManyFiles() throws Exception {
        JournaledLife life = new JournaledLife(new FaultyFolder(), nodes, false, 60_000, 4_096);
        submit(life, 1, 60);
        life.awaitJournaled();
        life.settle();
        byte[] large = new byte[3_000];
        for (int round = 1; round <= 4; round++) {
            WriterEffects effects = new WriterEffects();
            assertThat(life.core.submit(life.first(1_000 + round), ByteString.copyFrom(large), List.of(), 1, effects))
                    .isNull();
            life.journal.append(effects, life.core.keptFrom() - 1);
            life.awaitJournaled();
            life.settle();
        }
        JournaledLife next = again(life);
        for (long number = 1; number <= 60; number++) {
            assertThat(next.submit(JournaledLife.submission(number, 1, 0, true))).as("%d", number).isNull();
        }
        assertThat(next.outcomes).hasSize(60);
        assertThat(next.core.lastNumbered()).isEqualTo(64);
    }

    /** A journal may have more than a writer remembers; no more is kept while it is read. */
    @Test
    void shouldReadNoMoreThanItRemembers() throws Exception {
        WriterOptions small = new WriterOptions("writer", "writer:1", false, 1, 1, 1_024, 1 << 20, 1_000,
                5 * (KnownSubmissions.ENTRY_BYTES + 100), 1 << 20);
        JournalRecovery recovery = new JournalRecovery(small, FunctionTable.get().language());
        recovery.onFile(new JournalHeader(9, 0, 0, 1, 1, 1, 0, "writer", new JournalHeader.Identity("c", "s"), 0));
        for (long number = 1; number <= 40; number++) {
            recovery.onRecord(number, JournalRecords.UPDATE, update(number));
            recovery.onRecord(number, JournalRecords.OUTCOME, ByteBuffer.allocate(140).putLong(number).putLong(number)
                    .putLong(1).putLong(2).putLong(number).rewind());
        }
        RecoveredJournal journal = recovery.result(false);
        assertThat(journal.submissions()).extracting(KnownSubmissions.Recovered::timestamp)
                .containsExactly(36L, 37L, 38L, 39L, 40L);
        assertThat(journal.forgottenThrough()).isEqualTo(35);
        assertThat(journal.keptFrom()).isEqualTo(41);
    }

    private static ByteBuffer update(long number) {
        return ByteBuffer.allocate(60).putLong(1).putLong(number).putLong(0).putLong(1).putLong(2).putLong(number)
                .putInt(0).rewind();
    }

    @Test
    void shouldRefuseSubmissionsWhileTheDiskIsFullAndGoOnByItself() throws Exception {
        JournaledLife life = begin();
        submit(life, 1, 1);
        life.awaitJournaled();
        life.folder.leaveRoom(0);
        long number = 2;
        while (life.core.status().getProblem().isEmpty()) {
            submit(life, number, number);
            number++;
            life.awaitJournaledOrProblem();
        }
        life.awaitProblem(true);
        WriterEffects.Refusal refusal = life.submit(life.first(number));
        assertThat(refusal.error().getSqlstate()).isEqualTo("53100");
        assertThat(refusal.error().getMessage()).contains("no room for the journal");
        life.folder.leaveRoom(1 << 20);
        life.awaitProblem(false);
        assertThat(life.submit(life.first(number))).isNull();
        life.awaitJournaled();
        life.settle();
        assertThat(again(life).core.lastNumbered()).isEqualTo(number);
    }

    @Test
    void shouldTellABrokenDiskFromAFullOne() throws Exception {
        WriterJournal journal = begin().journal;
        journal.onProblem(new IOException("Input/output error"));
        assertThat(journal.state().problem().getSqlstate()).isEqualTo("58030");
        journal.onProblem(new DiskFullException("No space left on device"));
        assertThat(journal.state().problem().getSqlstate()).isEqualTo("53100");
        journal.onProblem(null);
        assertThat(journal.state().problem()).isNull();
    }

    @Test
    void shouldTakeNoMoreThanItsJournalMayHave() throws Exception {
        JournaledLife life = new JournaledLife(new FaultyFolder(), nodes, false, 40_000, 4_096);
        long number = 0;
        WriterEffects.Refusal refusal = null;
        while (refusal == null) {
            number++;
            refusal = life.submit(life.first(number));
            life.awaitJournaled();
            life.answerAll();
        }
        assertThat(refusal.error().getSqlstate()).isEqualTo("53100");
        assertThat(refusal.error().getMessage()).contains("40000 bytes").contains("node 1");
        assertThat(number).isGreaterThan(50);
        life.settle();
        life.awaitJournalBytesBelow(40_000);
        assertThat(life.submit(life.first(number))).isNull();
    }

    @Test
    void shouldRefuseTheJournalOfAnotherCluster() throws Exception {
        JournaledLife life = begin();
        submit(life, 1, 1);
        life.awaitJournaled();
        JournaledLife next = again(life);
        assertThat(next.journal.belongsTo("another", "schema").getMessage()).contains("cluster 'cluster'")
                .contains("'another'");
        assertThat(next.journal.belongsTo("cluster", "changed").getHint()).contains("empty folder");
        assertThat(next.journal.belongsTo("cluster", "schema")).isNull();
    }

    @Test
    void shouldNotGoOnWithAnOldJournal() throws Exception {
        JournaledLife life = begin();
        submit(life, 1, 2);
        life.awaitJournaled();
        FaultyFolder old = life.folder.copy();
        submit(life, 3, 4);
        life.awaitJournaled();
        life.answerAll();
        JournaledLife next = new JournaledLife(old, nodes, false);
        assertThat(next.core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(next.core.failure().getMessage()).contains("accepted updates up to 4").contains("numbered up to 2");
    }

    @Test
    void shouldAdoptWhatAnotherJournalHadAndKeepToIt() throws Exception {
        JournaledLife life = begin();
        submit(life, 1, 5);
        life.awaitJournaled();
        life.settle();
        JournaledLife refused = begin();
        assertThat(refused.core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        JournaledLife adopting = new JournaledLife(new FaultyFolder(), nodes, true);
        assertThat(adopting.core.lastNumbered()).isEqualTo(5);
        adopting.awaitEvent();
        JournaledLife next = again(adopting);
        assertThat(next.core.phase()).as("without --adopt").isEqualTo(WriterCore.Phase.ACTIVE);
        submit(next, 6, 6);
        next.awaitJournaled();
        next.settle();
        assertThat(again(next).core.lastNumbered()).isEqualTo(6);
    }

    @Test
    void shouldMissItsOldestFile() throws Exception {
        JournaledLife life = new JournaledLife(new FaultyFolder(), nodes, false, JournaledLife.BYTES_MAX, 4_096);
        for (long number = 1; number <= 100; number++) {
            submit(life, number, number);
            life.awaitJournaled();
        }
        FaultyFolder left = life.folder.afterPowerLoss();
        left.delete(left.names().get(0));
        assertThatThrownBy(() -> new JournaledLife(left, nodes, false)).isInstanceOf(JournalException.class)
                .hasMessageContaining("some node may lack update 1");
    }

    /** Lives end at any point, some of them with all that was written, some with what was forced alone. */
    @RepeatedTest(5)
    void shouldLoseAndDoubleNothingInManyLives() throws Exception {
        Random random = new Random(Seeds.next());
        FaultyFolder folder = new FaultyFolder();
        Map<Long, Submission> under = new HashMap<>();
        Map<SubmissionKey, WriteConfirmed> told = new HashMap<>();
        long number = 0;
        for (int round = 0; round < 60; round++) {
            JournaledLife life = new JournaledLife(folder, nodes, false, JournaledLife.BYTES_MAX,
                    4_096 << random.nextInt(3));
            assertThat(life.core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
            repeatAll(life, under);
            int steps = random.nextInt(60);
            for (int step = 0; step < steps; step++) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        Submission next = life.first(++number);
                        if (under.size() < 30 && life.submit(next) == null) {
                            under.put(number,
                                    JournaledLife.submission(number, next.epoch(), next.numberedAfter(), true));
                        }
                    }
                    case 2 -> life.awaitJournaled();
                    case 3 -> life.answerOne();
                    default -> {
                        nodes.durable[1] = random.nextBoolean() ? nodes.accepted() : nodes.durable[1];
                        life.look();
                    }
                }
            }
            check(life, under, told);
            folder = random.nextBoolean() ? folder.afterPowerLoss() : folder.copy();
            life.journal.close();
        }
        JournaledLife last = new JournaledLife(folder, nodes, false);
        repeatAll(last, under);
        last.settle();
        check(last, under, told);
        assertThat(under).as("all have an outcome").isEmpty();
        assertThat(nodes.accepted()).isEqualTo(told.size());
    }

    private static void repeatAll(JournaledLife life, Map<Long, Submission> under) {
        if (!life.journal.recovered().isUsed()) {
            under.clear(); // Its first epoch was not durable yet: it cannot know that it was its own.
        }
        under.values().forEach(each -> assertThat(life.submit(each)).as("%s", each).isNull());
    }

    private static void check(JournaledLife life, Map<Long, Submission> under,
            Map<SubmissionKey, WriteConfirmed> told) {
        life.outcomes.forEach((key, outcome) -> {
            WriteConfirmed before = told.put(key, outcome);
            assertThat(before == null || before.getTimestamp() == outcome.getTimestamp()).as("once").isTrue();
            under.remove(key.number());
        });
        assertThat(new ArrayList<>(told.values()).stream().map(WriteConfirmed::getTimestamp).distinct().count())
                .isEqualTo(told.size());
    }
}
