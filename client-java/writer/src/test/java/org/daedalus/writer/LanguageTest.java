package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Assignment;
import org.daedalus.wire.v1.Call;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Expression;
import org.daedalus.wire.v1.Limits;
import org.daedalus.wire.v1.ModifyPart;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;
import org.daedalus.writer.journal.FaultyFolder;
import org.daedalus.writer.journal.JournalException;
import org.daedalus.writer.journal.JournalLog;
import org.junit.jupiter.api.Test;

/** A writer whose language has a version more than some node, or than another writer with the same journal. */
class LanguageTest {
    private static final long PEER = 4;
    private static final long NEWER_HASH = 2;
    private static final int ABS_OF_INT = 901;
    private static final Language OLD = FunctionTable.get().language();
    private static final int NEWER_VERSION = OLD.version() + 1;
    /** A build in which abs(int) is new. */
    private static final FunctionTable NEWER =
            FunctionTable.with("language\t2", "later\tfunction\t" + ABS_OF_INT + "\t" + NEWER_VERSION);

    private final WriterOptions options = WriterOptions.of("writer", "writer:1", false);
    private final WriterCore core = new WriterCore(options);
    private final SubmissionDesk desk = new SubmissionDesk(options, core, 3, NEWER);
    private WriterEffects effects = new WriterEffects();

    @Test
    void shouldKnowTheVersionsOfItsOwn() {
        Language newer = NEWER.language();
        assertThat(newer.version()).isEqualTo(NEWER_VERSION);
        assertThat(newer.versionOf(0)).hasValue(1);
        assertThat(newer.versionOf(OLD.hash())).hasValue(OLD.version());
        assertThat(OLD.versionOf(newer.hash())).isEmpty();
        assertThat(newer.since(Language.Kind.FUNCTION, ABS_OF_INT)).isEqualTo(NEWER_VERSION);
        assertThat(newer.since(Language.Kind.FUNCTION, ABS_OF_INT + 1)).isEqualTo(1);
    }

    // ---- nodes ----

    private static EpochReply nodes(long... languages) {
        EpochReply.Builder reply = EpochReply.newBuilder().setGranted(true).setEpoch(1);
        for (int node = 0; node < languages.length; node++) {
            reply.addAccepted(NodeWatermark.newBuilder().setNode(node).setLanguage(languages[node]));
        }
        return reply.build();
    }

    private void become(EpochReply nodes) throws WireException {
        core.onUp(PEER, false, 0, effects);
        EpochReply none = EpochReply.newBuilder().setGranted(true).build();
        core.onResult(PEER, Result.newBuilder().setSequence(2).setEpoch(none).build(), 0, effects);
        core.onResult(PEER, Result.newBuilder().setSequence(3).setEpoch(nodes).build(), 0, effects);
        Column.Builder column = Column.newBuilder().setName("id")
                .setType(WireTypes.toMessage(ColumnType.of(ColumnType.Kind.INT)));
        desk.onDescribed(DescribeReply.newBuilder().addColumns(column).setMap(PartitionMap.newBuilder().setVersion(7))
                .setLimits(Limits.newBuilder().setUpdateBytesMax(1_000).setUpdateRowsMax(10).setLiteralsMax(10))
                .build());
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
    }

    /** SET id = function(id) */
    private WriterEffects submit(long number, int function) {
        Expression column = Expression.newBuilder().setColumn(0).build();
        Expression call = Expression.newBuilder().setCall(Call.newBuilder().setFunction(function).addArguments(column))
                .build();
        UpdateBody update = UpdateBody.newBuilder().addParts(UpdatePart.newBuilder().setModify(ModifyPart.newBuilder()
                .addAssignments(Assignment.newBuilder().setColumn(0).setValue(call)))).build();
        SubmissionId id = SubmissionId.newBuilder().setClient(ByteString.copyFrom(new byte[16])).setNumber(number)
                .setEpoch(1).build();
        effects = new WriterEffects();
        desk.submit(number, id, update, List.of(), effects);
        return effects;
    }

    private void assertRefused(WriterEffects refused, int node) {
        assertThat(refused.records()).isEmpty();
        assertThat(refused.answers()).hasSize(1);
        assertThat(refused.answers().get(0).result().getError().getSqlstate()).isEqualTo("0A000");
        assertThat(refused.answers().get(0).result().getError().getMessage())
                .contains("storage node " + node + " is older than the writer");
    }

    @Test
    void shouldNumberNothingThatSomeNodeDoesNotKnow() throws WireException {
        become(nodes(NEWER_HASH, 0));
        assertRefused(submit(1, ABS_OF_INT), 1);
        assertThat(core.lastNumbered()).isZero();
        assertThat(submit(2, 105 + 10).records()).as("-id, which all know").hasSize(1);
    }

    @Test
    void shouldNumberItWhenAllNodesAreOfTheNewerBuildOrOfStillNewerOnes() throws WireException {
        become(nodes(NEWER_HASH, 99));
        assertThat(submit(1, ABS_OF_INT).records()).hasSize(1);
    }

    @Test
    void shouldAskTheNodesOnceMoreAndNumberItWhenTheOlderOneHasBeenReplaced() throws WireException {
        become(nodes(OLD.hash(), NEWER_HASH));
        List<WriterEffects.Send> sent = submit(1, ABS_OF_INT).sends();
        assertThat(sent).hasSize(1);
        Operation question = sent.get(0).operation();
        assertThat(question.getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_EPOCH);
        WriterEffects again = submit(2, ABS_OF_INT);
        assertRefused(again, 0);
        assertThat(again.sends()).as("one question at a time").isEmpty();
        core.onResult(PEER, Result.newBuilder().setSequence(question.getHeader().getSequence())
                .setEpoch(nodes(NEWER_HASH, NEWER_HASH)).build(), 0, new WriterEffects());
        assertThat(submit(3, ABS_OF_INT).records()).hasSize(1);
    }

    @Test
    void shouldAskAgainWhenTheQuestionWasLost() throws WireException {
        become(nodes(OLD.hash()));
        assertThat(submit(1, ABS_OF_INT).sends()).hasSize(1);
        core.onDown(PEER, 0, new WriterEffects());
        core.onUp(PEER, false, 0, new WriterEffects());
        assertThat(submit(2, ABS_OF_INT).sends()).hasSize(1);
    }

    // ---- journals ----

    private static final class Nobody implements WriterJournal.Listener {
        @Override
        public void onJournaled(long through) {}

        @Override
        public void onProblem(IOException problem) {}

        @Override
        public void onLost(String reason) {}
    }

    private WriterJournal open(FaultyFolder folder, Language language) throws IOException {
        return WriterJournal.open(folder, 9, JournaledLife.BYTES_MAX, false, options, language,
                new JournalLog.Options(16 << 10, 1, 1), new Nobody());
    }

    /** Writes an epoch into the journal, and nothing else. */
    private FaultyFolder write(FaultyFolder folder, Language language, long epoch) throws IOException {
        try (WriterJournal journal = open(folder, language)) {
            assertThat(journal.belongsTo("cluster", "schema")).isNull();
            WriterEffects granted = new WriterEffects();
            granted.setEpochRecord(new WriterEffects.EpochRecord(epoch, 1, 0));
            journal.append(granted, 0);
        }
        return folder;
    }

    private FaultyFolder journalOf(Language language) throws IOException {
        return write(new FaultyFolder(), language, 1);
    }

    @Test
    void shouldReadAJournalOfTheSameAndOfAnOlderBuild() throws IOException {
        open(journalOf(OLD), OLD).close();
        open(journalOf(OLD), NEWER.language()).close();
        open(journalOf(NEWER.language()), NEWER.language()).close();
    }

    @Test
    void shouldRefuseAJournalThatANewerBuildHasBegunOrGoneOnWith() throws IOException {
        FaultyFolder begun = journalOf(NEWER.language());
        FaultyFolder goneOnWith = write(journalOf(OLD), NEWER.language(), 2);
        for (FaultyFolder folder : List.of(begun, goneOnWith)) {
            assertThatThrownBy(() -> open(folder, OLD)).isInstanceOf(JournalException.class)
                    .hasMessageContaining("in language 2, which this build does not have");
            open(folder, NEWER.language()).close();
        }
    }
}
