package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.wire.v1.ColumnEquality;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.daedalus.wire.v1.WriterStatus;
import org.junit.jupiter.api.Test;

/** The core bounds what it remembers and what it takes for new. */
class WriterCoreTest {
    private static final long PEER = 4;
    private static final long EPOCH = 3;
    private static final long START = 50;
    private static final long SECOND = 1_000_000_000L;
    private static final ByteString BODY = ByteString.copyFromUtf8("ten bytes.");

    private WriterCore core = active(WriterOptions.of("writer", "writer:1", false));
    private WriterEffects effects = new WriterEffects();

    static WriterOptions options(int submissionsKnownMax) {
        return new WriterOptions("writer", "writer:1", false, SECOND, SECOND / 2, 1_024, 32 << 20, submissionsKnownMax,
                32 << 20, 64 << 20);
    }

    /** A core that has raised epoch 3 on one node, which has come as far as update 50. */
    private static WriterCore active(WriterOptions options) {
        WriterCore core = new WriterCore(options);
        WriterEffects effects = new WriterEffects();
        core.onUp(PEER, false, 0, effects);
        core.onResult(PEER, epoch(2, EpochReply.newBuilder().setEpoch(EPOCH - 1)), 0, effects);
        core.onResult(PEER, epoch(3, EpochReply.newBuilder().setEpoch(EPOCH).addAccepted(NodeWatermark.newBuilder()
                .setApplied(START).setDurable(START))), 0, effects);
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        return core;
    }

    private static Result epoch(long sequence, EpochReply.Builder reply) {
        return Result.newBuilder().setSequence(sequence).setEpoch(reply.setGranted(true)).build();
    }

    private static Submission first(long number, long epoch, long after) {
        return new Submission(new SubmissionKey(1, 2, number), epoch, after, false);
    }

    private static Submission repeated(long number, long epoch, long after) {
        return new Submission(new SubmissionKey(1, 2, number), epoch, after, true);
    }

    private WriterEffects.Refusal submit(Submission submission) {
        effects = new WriterEffects();
        return submit(submission, Route.getDefaultInstance());
    }

    /** Without a journal, as today: what has a number is sent at once. */
    private WriterEffects.Refusal submit(Submission submission, Route route) {
        WriterEffects.Refusal refusal = core.submit(submission, BODY, List.of(route), 1, effects);
        core.onJournaled(core.lastNumbered(), 0, effects);
        return refusal;
    }

    /** Submits what the writer takes for new, and confirms it. */
    private void confirm(long number) {
        assertThat(submit(first(number, EPOCH, core.lastNumbered()))).isNull();
        WriterEffects.Send send = effects.sends().get(0);
        core.onResult(PEER, Result.newBuilder().setSequence(send.operation().getHeader().getSequence())
                .setConfirmed(confirmation(core.lastNumbered())).build(), 0, effects);
        assertThat(effects.outcomes()).hasSize(1);
    }

    private static WriteConfirmed.Builder confirmation(long timestamp) {
        return WriteConfirmed.newBuilder().setTimestamp(timestamp)
                .addOutcomes(PartitionOutcome.newBuilder().setRowsApplied(1))
                .addWatermarks(NodeWatermark.newBuilder().setApplied(timestamp).setDurable(timestamp));
    }

    private void unknown(WriterEffects.Refusal refusal) {
        assertThat(refusal.error().getCategory()).isEqualTo(ErrorCategory.ERROR_CATEGORY_UNKNOWN);
        assertThat(refusal.error().getSqlstate()).isEqualTo("08007");
        assertThat(refusal.isStale()).isFalse();
        assertThat(effects.sends()).isEmpty();
    }

    private void stale(WriterEffects.Refusal refusal) {
        assertThat(refusal.isStale()).isTrue();
        assertThat(refusal.error().getCategory()).isEqualTo(ErrorCategory.ERROR_CATEGORY_RETRY);
        assertThat(effects.sends()).isEmpty();
    }

    @Test
    void shouldNotTakeARepetitionFromAnotherEpochForNew() {
        unknown(submit(repeated(1, EPOCH - 1, START)));
        unknown(submit(repeated(2, EPOCH + 1, START)));
        unknown(submit(repeated(3, 0, 0)));
        assertThat(core.lastNumbered()).isEqualTo(START);
    }

    @Test
    void shouldTakeARepetitionOfItsOwnEpochThatNeverArrived() {
        assertThat(submit(repeated(1, EPOCH, 0))).isNull();
        assertThat(core.lastNumbered()).isEqualTo(START + 1);
    }

    @Test
    void shouldAskForAFirstSendingAgainThatWasMadeForAnotherEpoch() {
        stale(submit(first(1, EPOCH - 1, START)));
        stale(submit(first(1, 0, 0)));
        stale(submit(first(1, EPOCH, START + 1)));
        assertThat(core.lastNumbered()).isEqualTo(START);
        assertThat(submit(first(1, EPOCH, START))).isNull();
    }

    @Test
    void shouldTellTheOutcomeOfWhatItKnowsWhateverTheRepetitionSays() {
        confirm(1);
        assertThat(submit(repeated(1, EPOCH - 1, 0))).isNull();
        assertThat(effects.outcomes().get(0).confirmed()).isEqualTo(confirmation(START + 1).build());
        assertThat(submit(first(1, 0, 0))).isNull();
        assertThat(effects.outcomes()).hasSize(1);
        assertThat(core.lastNumbered()).isEqualTo(START + 1);
    }

    @Test
    void shouldNotTakeWhatItHasForgottenForNew() {
        core = active(options(8));
        for (long number = 1; number <= 20; number++) {
            confirm(number);
        }
        WriterStatus status = core.status().build();
        assertThat(status.getSubmissionsKnown()).isEqualTo(8);
        assertThat(status.getForgottenThrough()).isEqualTo(START + 12);
        for (long number = 1; number <= 12; number++) {
            unknown(submit(repeated(number, EPOCH, START + number - 1)));
        }
        for (long number = 13; number <= 20; number++) {
            assertThat(submit(repeated(number, EPOCH, START + number - 1))).isNull();
        }
        assertThat(core.lastNumbered()).isEqualTo(START + 20);
        assertThat(submit(repeated(21, EPOCH, START + 12))).as("would be remembered").isNull();
        assertThat(core.lastNumbered()).isEqualTo(START + 21);
    }

    @Test
    void shouldWantFirstSendingsToKnowOfTheYoungerHalfOfWhatItRemembers() {
        core = active(options(8));
        for (long number = 1; number <= 20; number++) {
            confirm(number);
        }
        stale(submit(first(21, EPOCH, START + 15)));
        assertThat(submit(first(21, EPOCH, START + 16))).isNull();
    }

    @Test
    void shouldForgetForWantOfBytes() {
        WriteConfirmed.Builder outcome = confirmation(START + 1);
        long bytes = KnownSubmissions.ENTRY_BYTES + outcome.build().getSerializedSize();
        WriterOptions options = options(1_000);
        core = active(new WriterOptions("writer", "writer:1", false, SECOND, SECOND, 1_024, 1 << 20, 1_000,
                10 * bytes, options.unsentBytesMax()));
        for (long number = 1; number <= 40; number++) {
            confirm(number);
        }
        WriterStatus status = core.status().build();
        assertThat(status.getSubmissionsKnown()).isEqualTo(10);
        assertThat(status.getSubmissionBytesKnown()).isEqualTo(10 * bytes);
        assertThat(status.getForgottenThrough()).isEqualTo(START + 30);
        unknown(submit(repeated(30, EPOCH, START + 29)));
    }

    @Test
    void shouldCountRoutesAmongTheBytesThatItKeeps() {
        Route route = Route.newBuilder().addEqualities(ColumnEquality.newBuilder().addValues(
                Constant.newBuilder().setPacked(ByteString.copyFrom(new byte[1_000])))).build();
        core = active(new WriterOptions("writer", "writer:1", false, SECOND, SECOND, 1_024, 3_500, 1_000, 1 << 20,
                1 << 20));
        for (long number = 1; number <= 3; number++) {
            assertThat(submit(first(number, EPOCH, START), route)).isNull();
        }
        assertThat(core.status().getUpdateBytesKept()).isBetween(3_000L, 3_500L);
        WriterEffects.Refusal full = submit(first(4, EPOCH, START), route);
        assertThat(full.error().getSqlstate()).isEqualTo("53400");
        effects.sends().forEach(send -> {
            assertThat(send.operation().getHeader().getRoutesList()).containsExactly(route);
            assertThat(send.operation().getHeader().getMapVersion()).isEqualTo(1);
        });
    }

    @Test
    void shouldKeepUpdatesUpToItsLastByte() {
        assertThat(submit(first(1, EPOCH, START))).isNull();
        long each = core.status().getUpdateBytesKept();
        core = active(new WriterOptions("writer", "writer:1", false, SECOND, SECOND, 1_024, 3 * each, 1_000, 1 << 20,
                1 << 20));
        for (long number = 1; number <= 3; number++) {
            assertThat(submit(first(number, EPOCH, START))).isNull();
        }
        assertThat(submit(first(4, EPOCH, START)).error().getSqlstate()).isEqualTo("53400");
    }

    /** One that every node has waits for its confirmation alone; one behind it that is confirmed waits for nothing. */
    @Test
    void shouldNotSendAgainWhatIsConfirmedAndEverywhere() {
        assertThat(submit(first(1, EPOCH, START))).isNull();
        assertThat(submit(first(2, EPOCH, START))).isNull();
        core.onResult(PEER, Result.newBuilder()
                .setSequence(effects.sends().get(0).operation().getHeader().getSequence())
                .setConfirmed(confirmation(START + 2)).build(), 0, effects);
        effects = new WriterEffects();
        core.onDeadline(8 * SECOND, effects);
        assertThat(timestamps()).containsExactly(START + 1);
    }

    @Test
    void shouldForgetAtOnceWhenAnOutcomeTakesTooManyBytes() {
        long outcome = confirmation(START + 1).build().getSerializedSize();
        core = active(new WriterOptions("writer", "writer:1", false, SECOND, SECOND, 1_024, 1 << 20, 1_000,
                2 * KnownSubmissions.ENTRY_BYTES + outcome - 1, 1 << 20));
        assertThat(submit(first(1, EPOCH, START))).isNull();
        assertThat(submit(first(2, EPOCH, START))).isNull();
        core.onResult(PEER, Result.newBuilder().setSequence(effects.sends().get(0).operation().getHeader()
                .getSequence()).setConfirmed(confirmation(START + 2)).build(), 0, effects);
        assertThat(core.status().getSubmissionsKnown()).isEqualTo(1);
        assertThat(core.status().getForgottenThrough()).isEqualTo(START + 1);
    }

    @Test
    void shouldRememberTheLastSubmissionHoweverLarge() {
        core = active(new WriterOptions("writer", "writer:1", false, SECOND, SECOND, 1_024, 1 << 20, 1_000, 1,
                1 << 20));
        confirm(1);
        assertThat(core.status().getSubmissionsKnown()).isEqualTo(1);
    }

    @Test
    void shouldKeepNoMoreUpdatesThanItMay() {
        core = active(new WriterOptions("writer", "writer:1", false, SECOND, SECOND, 2, 1 << 20, 1_000, 1 << 20,
                1 << 20));
        assertThat(submit(first(1, EPOCH, START))).isNull();
        assertThat(submit(first(2, EPOCH, START))).isNull();
        assertThat(submit(first(3, EPOCH, START)).error().getSqlstate()).isEqualTo("53400");
        assertThat(core.status().getUpdatesKept()).isEqualTo(2);
    }

    @Test
    void shouldRememberOfAnUpdateThatIsNeverConfirmedOnlyTheLastSendings() {
        assertThat(submit(first(1, EPOCH, START))).isNull();
        long firstSequence = effects.sends().get(0).operation().getHeader().getSequence();
        for (int second = 1; second <= 1_000; second++) {
            effects = new WriterEffects();
            core.onDeadline(second * 8 * SECOND, effects);
            assertThat(effects.sends()).hasSize(1);
        }
        long lastSequence = effects.sends().get(0).operation().getHeader().getSequence();
        Result.Builder confirmed = Result.newBuilder().setConfirmed(confirmation(START + 1));
        effects = new WriterEffects();
        core.onResult(PEER, confirmed.setSequence(firstSequence).build(), 0, effects);
        assertThat(effects.outcomes()).as("an answer to a sending that is not waited for any longer").isEmpty();
        core.onResult(PEER, confirmed.setSequence(lastSequence - 63).build(), 0, effects);
        assertThat(effects.outcomes()).hasSize(1);
        assertThat(core.status().getUpdatesKept()).isZero();
    }

    private Result refused(long sequence, WriteRefusal reason) {
        return Result.newBuilder().setSequence(sequence).setRefused(
                WriteRefused.newBuilder().setReason(reason).setLastAccepted(START)).build();
    }

    /** Checks that so many updates have been sent, and returns the sequences of their operations. */
    private long[] submitted(int count) {
        long[] sequences = new long[count];
        for (int number = 1; number <= count; number++) {
            assertThat(submit(first(number, EPOCH, START))).isNull();
            sequences[number - 1] = effects.sends().get(0).operation().getHeader().getSequence();
        }
        effects = new WriterEffects();
        return sequences;
    }

    private List<Long> timestamps() {
        return effects.sends().stream().map(send -> send.operation().getHeader().getUpdate().getTimestamp()).toList();
    }

    @Test
    void shouldSendAgainAfterAGapOnlyWhatNobodyCarriesAnyLonger() {
        long[] sequences = submitted(4);
        core.onResult(PEER, refused(sequences[1], WriteRefusal.WRITE_REFUSAL_UNREACHABLE), 0, effects);
        assertThat(timestamps()).isEmpty();
        core.onResult(PEER, refused(sequences[2], WriteRefusal.WRITE_REFUSAL_GAP), 0, effects);
        assertThat(timestamps()).containsExactly(START + 2, START + 3);
    }

    @Test
    void shouldWaitLongerForAnAggregatorThatIsBusy() {
        assertThat(submit(first(1, EPOCH, START))).isNull();
        assertThat(submit(first(2, EPOCH, START))).isNull();
        long second = effects.sends().get(0).operation().getHeader().getSequence();
        core.onResult(PEER, refused(second, WriteRefusal.WRITE_REFUSAL_OVERLOADED), 0, effects);
        effects = new WriterEffects();
        core.onDeadline(SECOND, effects);
        assertThat(timestamps()).containsExactly(START + 2);
        effects = new WriterEffects();
        core.onDeadline(8 * SECOND, effects);
        assertThat(timestamps()).containsExactly(START + 1);
    }

    @Test
    void shouldSendWhatWasRefusedForWantOfRoomWhenThereIsRoomAgain() {
        long[] sequences = submitted(3);
        long roomNs = 10_000_000;
        Result overloaded = refused(sequences[1], WriteRefusal.WRITE_REFUSAL_OVERLOADED);
        core.onResult(PEER, overloaded.toBuilder().setRefused(
                overloaded.getRefused().toBuilder().setRetryAfterNs(roomNs)).build(), 0, effects);
        assertThat(effects.deadlineNs()).isEqualTo(roomNs);
        core.onDeadline(roomNs - 1, effects);
        assertThat(timestamps()).isEmpty();
        core.onDeadline(roomNs, effects);
        assertThat(timestamps()).containsExactly(START + 2);
        assertThat(effects.deadlineNs()).isEqualTo(SECOND);
    }

    @Test
    void shouldSendAgainWhatDidNotFitIntoItsConnection() {
        assertThat(submit(first(1, EPOCH, START))).isNull();
        core.onUnsent(PEER, effects.sends().get(0).operation().getHeader().getSequence());
        effects = new WriterEffects();
        core.onDeadline(SECOND, effects);
        assertThat(timestamps()).containsExactly(START + 1);
    }

    @Test
    void shouldNotSayThatNothingHappenedToARepetitionOnceItHasFailed() {
        core.onResult(PEER, Result.newBuilder().setSequence(2).build(), 0, effects);
        assertThat(submit(first(1, EPOCH, START))).isNull();
        long sequence = effects.sends().get(0).operation().getHeader().getSequence();
        core.onResult(PEER, Result.newBuilder().setSequence(sequence).setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_STALE_EPOCH).setEpoch(EPOCH + 1).setHolder("another")).build(),
                0, effects);
        unknown(submit(repeated(2, EPOCH, START)));
        assertThat(submit(first(3, EPOCH, START)).error().getCategory()).isEqualTo(ErrorCategory.ERROR_CATEGORY_FATAL);
        assertThat(core.status().getProblem()).contains("another has taken over");
    }

    private Result staleMap(long sequence) {
        return Result.newBuilder().setSequence(sequence).setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_STALE_MAP).setError(Errors.retry(Errors.NOT_IN_STATE,
                        "the operation was made for partition map 2, this aggregator has map 1", ""))).build();
    }

    @Test
    void shouldPassByAnAggregatorWithAnotherMap() {
        core.onUp(PEER + 1, false, 0, effects);
        assertThat(submit(first(1, EPOCH, START))).isNull();
        assertThat(submit(first(2, EPOCH, START))).isNull();
        WriterEffects.Send send = effects.sends().get(0);
        long behind = send.peer();
        assertThat(submit(first(3, EPOCH, START))).isNull();
        effects = new WriterEffects();
        core.onResult(behind, staleMap(send.operation().getHeader().getSequence()), 0, effects);
        assertThat(core.phase()).as("it goes on").isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(timestamps()).as("what only that one carried").containsExactly(START + 2);
        assertThat(effects.sends()).extracting(WriterEffects.Send::peer).doesNotContain(behind);
        assertThat(core.status().getProblem()).isEmpty();
        for (long number = 4; number <= 9; number++) {
            assertThat(submit(first(number, EPOCH, START))).isNull();
            assertThat(effects.sends()).extracting(WriterEffects.Send::peer).hasSize(1).doesNotContain(behind);
        }
    }

    @Test
    void shouldWaitForAnAggregatorWithItsMapAndSayWhy() {
        assertThat(submit(first(1, EPOCH, START))).isNull();
        long sequence = effects.sends().get(0).operation().getHeader().getSequence();
        effects = new WriterEffects();
        core.onResult(PEER, staleMap(sequence), 0, effects);
        core.onDeadline(100 * SECOND, effects);
        assertThat(effects.sends()).as("not again to the same one").isEmpty();
        assertThat(effects.outcomes()).as("it may have an outcome yet").isEmpty();
        assertThat(core.status().getProblem()).isEqualTo("no aggregator has the map of the updates: the operation was "
                + "made for partition map 2, this aggregator has map 1");
        core.onDown(PEER, 0, effects);
        core.onUp(PEER + 1, false, 0, effects);
        assertThat(timestamps()).as("after DESCRIBE").containsExactly(0L, START + 1);
        assertThat(core.status().getProblem()).isEmpty();
    }

    @Test
    void shouldTellWhatItKeepsAndHowFarItIsConfirmed() {
        confirm(1);
        confirm(2);
        assertThat(core.status().getConfirmedThrough()).isEqualTo(START + 2);
        assertThat(core.status().getUpdateBytesKept()).isZero();
        assertThat(core.status().getUpdatesKept()).isZero();
    }

    @Test
    void shouldNotBeTheWriterWithoutAJournalWhereNodesKeepTheirRows() {
        for (String durability : List.of("", "off", "async", "sync")) {
            for (RecoveredJournal journal : List.of(RecoveredJournal.NONE, RecoveredJournal.RENOUNCED,
                    RecoveredJournal.unused(false))) {
                WriterCore one = new WriterCore(WriterOptions.of("writer", "127.0.0.1:1", false), journal);
                one.onUp(PEER, false, 0, new WriterEffects());
                one.onResult(PEER, Result.newBuilder().setSequence(1).setDescribed(
                        DescribeReply.newBuilder().setDurability(durability)).build(), 0, new WriterEffects());
                boolean isRefused = journal == RecoveredJournal.NONE && durability.endsWith("sync");
                assertThat(one.phase() == WriterCore.Phase.FAILED).as(durability).isEqualTo(isRefused);
            }
        }
    }

    @Test
    void shouldPassOnWhatAnAggregatorSaysOfTheTable() {
        DescribeReply reply = DescribeReply.newBuilder().setTableName("bookings").build();
        core.onResult(PEER, Result.newBuilder().setSequence(1).setDescribed(reply).build(), 0, effects);
        assertThat(effects.described()).isEqualTo(reply);
    }

    @Test
    void shouldTakeNothingBeforeItIsTheWriter() {
        WriterCore idle = new WriterCore(WriterOptions.of("writer", "writer:1", false));
        WriterEffects.Refusal refusal = idle.submit(first(1, EPOCH, START), BODY, List.of(), 1, effects);
        assertThat(refusal.error().getSqlstate()).isEqualTo("57P03");
        assertThat(refusal.error().getCategory()).isEqualTo(ErrorCategory.ERROR_CATEGORY_RETRY);
    }

    @Test
    void shouldSendNothingAgainBeforeItsWaitIsOver() {
        assertThat(submit(first(1, EPOCH, START))).isNull();
        core.onUnsent(PEER, effects.sends().get(0).operation().getHeader().getSequence());
        effects = new WriterEffects();
        core.onDeadline(SECOND - 1, effects);
        assertThat(effects.sends()).isEmpty();
        assertThat(effects.deadlineNs()).isEqualTo(SECOND);
    }

    @Test
    void shouldKeepLessInASmallHeap() {
        WriterOptions usual = WriterOptions.of("writer", "writer:1", false);
        assertThat(usual.within(1L << 30, 2)).isEqualTo(usual);
        WriterOptions small = usual.within(128L << 20, 2);
        assertThat(small.bytesKeptMax()).isEqualTo(16L << 20);
        assertThat(usual.updatesKeptMax()).isEqualTo(65_536);
        assertThat(small.updatesKeptMax()).isEqualTo(32_768);
        assertThat(small.submissionBytesMax()).isEqualTo(8L << 20);
        assertThat(small.unsentBytesMax()).isEqualTo(16L << 20);
        assertThat(usual.within(128L << 20, 10).unsentBytesMax()).as("one update fits").isEqualTo(10L << 20);
    }

    @Test
    void shouldNotKeepTheMessageThatASubmissionCameIn() {
        byte[] client = new byte[16];
        client[15] = 7;
        SubmissionKey key = SubmissionKey.of(org.daedalus.wire.v1.SubmissionId.newBuilder()
                .setClient(ByteString.copyFrom(client)).setNumber(5).build());
        assertThat(key).isEqualTo(new SubmissionKey(0, 7, 5));
    }
}
