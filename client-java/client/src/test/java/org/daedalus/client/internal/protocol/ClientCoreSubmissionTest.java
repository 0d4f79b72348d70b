package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.RefusedRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.RowRefusal;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The core says what it knows of an update when it sends it, first and again, and when it does not know. */
class ClientCoreSubmissionTest {
    private static final String A = "a:1";
    private static final String B = "b:1";
    private static final long DEADLINE = 10_000_000_000L;
    private static final SubmissionId ID = SubmissionId.newBuilder()
            .setClient(ByteString.copyFromUtf8("0123456789abcdef")).setNumber(7).build();

    private final ClientCore core = new ClientCore(List.of(A, B), true, "");
    private final Request update = update(ID);

    private static Request update(SubmissionId id) {
        ByteString body = SubmitBody.newBuilder()
                .setUpdate(UpdateBody.newBuilder().addParts(UpdatePart.getDefaultInstance())).build().toByteString();
        return new Request(Request.Content.of(OperationKind.OPERATION_KIND_SUBMIT, body, id), null, DEADLINE);
    }

    private static SubmissionId stamped(long epoch, long after, boolean repeated) {
        return ID.toBuilder().setEpoch(epoch).setNumberedAfter(after).setRepeated(repeated).build();
    }

    /** The only thing that was sent names its submission like this. */
    private static SubmissionId sent(ClientActions actions) throws InvalidProtocolBufferException {
        assertThat(actions.sends()).hasSize(1);
        assertThat(actions.deliveries()).isEmpty();
        SubmitBody body = SubmitBody.parseFrom(actions.sends().get(0).operation().getBody());
        assertThat(body.getUpdate().getPartsCount()).isOne();
        return body.getSubmission();
    }

    private static DaedalusException failure(ClientActions actions) {
        assertThat(actions.sends()).isEmpty();
        assertThat(actions.deliveries()).hasSize(1);
        return actions.deliveries().get(0).failure();
    }

    private static Result confirmed(long sequence, long timestamp) {
        return Result.newBuilder().setSequence(sequence)
                .setConfirmed(WriteConfirmed.newBuilder().setTimestamp(timestamp)).build();
    }

    private static Result described(long sequence, long epoch, long confirmed) {
        return Result.newBuilder().setSequence(sequence)
                .setDescribed(DescribeReply.newBuilder().setEpoch(epoch).setConfirmed(confirmed)).build();
    }

    private static Result stale(long sequence, long epoch, long timestamp) {
        return Result.newBuilder().setSequence(sequence).setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_STALE_SUBMISSION).setEpoch(epoch).setTimestamp(timestamp)
                .setError(Error.newBuilder().setCategory(ErrorCategory.ERROR_CATEGORY_RETRY).setSqlstate("55000")))
                .build();
    }

    private static Result error(long sequence, ErrorCategory category, String sqlState) {
        return Result.newBuilder().setSequence(sequence).setError(Error.newBuilder().setCategory(category)
                .setSqlstate(sqlState).setMessage("as it said")).build();
    }

    /** The core knows epoch 3 and update 40. */
    @BeforeEach
    void describe() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        Descriptions.learnEpoch(core);
    }

    @Test
    void shouldSayWhatItKnewOfTheWriterWhenItSendsAnUpdateFirst() throws Exception {
        assertThat(sent(core.submit(update, 0))).isEqualTo(stamped(3, 40, false));
    }

    @Test
    void shouldSendAsIfForTheFirstTimeWhatNoWriterCanHaveNumbered() throws Exception {
        core.onDown(A, 1, "reset", 0);
        core.onUp(A, 2, Hellos.AGGREGATOR, 0);
        assertThat(sent(core.submit(update, 0))).as("it has forgotten the epoch").isEqualTo(stamped(0, 0, false));
        core.onDown(A, 2, "reset", 0);
        assertThat(sent(core.onUp(A, 3, Hellos.AGGREGATOR, 0))).isEqualTo(stamped(0, 0, false));
        assertThat(sent(core.onResult(3, stale(1, 3, 40), 0))).isEqualTo(stamped(3, 40, false));
        core.onDown(A, 3, "reset", 0);
        assertThat(sent(core.onUp(A, 4, Hellos.AGGREGATOR, 0))).as("this one may have a number")
                .isEqualTo(stamped(3, 40, true));
    }

    @Test
    void shouldSayThatNothingHappenedWhenNoWriterCanHaveNumberedAnUpdate() {
        core.onDown(A, 1, "reset", 0);
        core.onUp(A, 2, Hellos.AGGREGATOR, 0);
        core.submit(update, 0);
        core.onDown(A, 2, "reset", 0);
        assertThat(failure(core.onTick(DEADLINE)).category()).isEqualTo(Category.RETRY);
    }

    @Test
    void shouldLearnFromOutcomesAndNotGoBackToWhatALaggingAggregatorSays() throws Exception {
        core.submit(update, 0);
        core.onResult(1, confirmed(2, 55), 0);
        core.submit(new Request(Request.Content.of(OperationKind.OPERATION_KIND_DESCRIBE, ByteString.EMPTY, null),
                null, DEADLINE), 0);
        core.onResult(1, described(3, 2, 30), 0);
        assertThat(sent(core.submit(update(ID), 0))).isEqualTo(stamped(3, 55, false));
        assertThat(core.stamp()).isEqualTo(new SubmissionStamp(3, 55));
    }

    @Test
    void shouldRepeatWithTheMarkAndWithWhatItKnewAtFirst() throws Exception {
        core.submit(update, 0);
        core.submit(update(ID), 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        core.onResult(1, confirmed(3, 90), 0);
        assertThat(sent(core.onDown(A, 1, "reset", 5))).isEqualTo(stamped(3, 40, true));
    }

    @Test
    void shouldSendAnUpdateThatWasOnlyRefusedAsOneThatWasNeverSent() throws Exception {
        core.submit(update, 0);
        core.onResult(1, error(2, ErrorCategory.ERROR_CATEGORY_RETRY, "53400"), 0);
        core.submit(update(ID), 0);
        core.onResult(1, confirmed(3, 90), 0);
        assertThat(sent(core.onTick(core.nextDeadlineNs()))).isEqualTo(stamped(3, 90, false));
    }

    @Test
    void shouldSendAgainAtOnceWithWhatTheWriterSaysWhenItKnowsTooLittle() throws Exception {
        core.submit(update, 0);
        assertThat(sent(core.onResult(1, stale(2, 4, 60), 0))).isEqualTo(stamped(4, 60, false));
        assertThat(core.onResult(1, confirmed(3, 61), 0).deliveries()).hasSize(1);
    }

    @Test
    void shouldNotAskForEverAWriterToWhichEverythingIsStale() {
        core.submit(update, 0);
        ClientActions last = null;
        int sendings = 1;
        for (long sequence = 2; last == null || !last.sends().isEmpty(); sequence++) {
            last = core.onResult(1, stale(sequence, 4, sequence), 0);
            sendings += last.sends().size();
        }
        assertThat(sendings).isEqualTo(1 + 8);
        assertThat(failure(last).category()).isEqualTo(Category.RETRY);
    }

    @Test
    void shouldForgetWhatItKnewOnceItHasLostEveryConnection() throws Exception {
        core.onDown(A, 1, "reset", 0);
        core.onUp(A, 5, Hellos.AGGREGATOR, 0);
        assertThat(sent(core.submit(update, 0))).isEqualTo(stamped(0, 0, false));
    }

    @Test
    void shouldWaitForTheWriterToLearnWhatBecameOfAnUpdateThatWasSentBefore() throws Exception {
        core.submit(update, 0);
        core.onDown(A, 1, "reset", 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        ClientActions refused = core.onResult(2, error(1, ErrorCategory.ERROR_CATEGORY_RETRY, "57P03"), 0);
        assertThat(refused.deliveries()).isEmpty();
        assertThat(sent(core.onTick(core.nextDeadlineNs()))).isEqualTo(stamped(3, 40, true));
        ClientActions confirmed = core.onResult(2, confirmed(2, 41), 0);
        assertThat(confirmed.deliveries().get(0).result().message().getConfirmed().getTimestamp()).isEqualTo(41);
    }

    @Test
    void shouldNeverSayThatNothingHappenedOnceASendingHasNoAnswer() {
        for (String sqlState : List.of("57P03", "53400", "57014", "55000", "08006")) {
            ClientCore eager = new ClientCore(List.of(A, B), false, "");
            eager.onUp(A, 1, Hellos.AGGREGATOR, 0);
            Descriptions.learnEpoch(eager);
            eager.submit(update(ID), 0);
            eager.onDown(A, 1, "reset", 0);
            eager.onUp(B, 2, Hellos.AGGREGATOR, 0);
            DaedalusException failure =
                    failure(eager.onResult(2, error(1, ErrorCategory.ERROR_CATEGORY_RETRY, sqlState), 0));
            assertThat(failure.category()).as(sqlState).isEqualTo(Category.UNKNOWN);
            assertThat(failure).hasMessageContaining("may have taken effect").hasMessageContaining("as it said");
            assertThat(failure.hint()).isEmpty();
        }
    }

    @Test
    void shouldSayThatNothingHappenedWhenEverySendingWasRefused() {
        core.submit(update, 0);
        assertThat(failure(core.onResult(1, error(2, ErrorCategory.ERROR_CATEGORY_RETRY, "57P03"), 0)).category())
                .isEqualTo(Category.RETRY);
    }

    @Test
    void shouldSayWhatIsWrongWithAnUpdateThatWasSentBefore() {
        core.submit(update, 0);
        core.onDown(A, 1, "reset", 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        assertThat(failure(core.onResult(2, error(1, ErrorCategory.ERROR_CATEGORY_REJECTED, "42601"), 0)).category())
                .isEqualTo(Category.REJECTED);
    }

    @Test
    void shouldNotKnowWhatBecomesOfAnUpdateThatIsNotWaitedForAnyLonger() {
        core.submit(update, 0);
        DaedalusException cancelled = new DaedalusException(Category.RETRY, "57014", "the request was cancelled");
        assertThat(failure(core.abort(update, cancelled, 0)).category()).isEqualTo(Category.UNKNOWN);
        core.onDown(A, 1, "reset", 0);
        Request waiting = update(ID);
        core.submit(waiting, 0);
        assertThat(failure(core.abort(waiting, cancelled, 0)).category()).isEqualTo(Category.RETRY);
    }

    @Test
    void shouldNotKnowWhatBecameOfAnUpdateThatIsTooLargeTheSecondTime() {
        core.submit(update, 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        core.onDown(A, 1, "reset", 0);
        assertThat(failure(core.onSendRefused(update, true, 0)).category()).isEqualTo(Category.UNKNOWN);
    }

    @Test
    void shouldNotKnowWhatBecameOfAnUpdateThatFindsNoRoomInItsConnectionUntilItsDeadline() {
        core.submit(update, 0);
        core.onUp(B, 2, Hellos.AGGREGATOR, 0);
        core.onDown(A, 1, "reset", 0);
        assertThat(core.onSendRefused(update, false, 0).deliveries()).isEmpty();
        assertThat(failure(core.onTick(DEADLINE)).category()).isEqualTo(Category.UNKNOWN);
    }

    @Test
    void shouldTreatWhatItsCallerHasSubmittedBeforeAsARepetition() throws Exception {
        Request again = update(stamped(2, 17, true));
        assertThat(sent(core.submit(again, 0))).isEqualTo(stamped(2, 17, true));
        assertThat(failure(core.onResult(1, error(2, ErrorCategory.ERROR_CATEGORY_RETRY, "08006"), 0)).category())
                .isEqualTo(Category.UNKNOWN);
    }

    @Test
    void shouldNameTheSubmissionOfAStatement() throws Exception {
        ByteString sql = StatementBody.newBuilder().setSql("DELETE FROM t").build().toByteString();
        ClientActions actions = core.submit(new Request(
                Request.Content.of(OperationKind.OPERATION_KIND_STATEMENT, sql, ID), null, DEADLINE), 0);
        StatementBody body = StatementBody.parseFrom(actions.sends().get(0).operation().getBody());
        assertThat(body.getSql()).isEqualTo("DELETE FROM t");
        assertThat(body.getSubmission()).isEqualTo(stamped(3, 40, false));
    }

    @Test
    void shouldNotSendAgainAnUpdateOfWhichRowsWereRefused() {
        for (RowRefusal reason : List.of(RowRefusal.ROW_REFUSAL_NO_ROOM, RowRefusal.ROW_REFUSAL_OVERFLOW)) {
            PartitionOutcome.Builder refusing = PartitionOutcome.newBuilder().setRowsMatched(1)
                    .addRefused(RefusedRows.newBuilder().setReason(reason).setRowCount(1));
            ClientCore core = new ClientCore(List.of("a:1"), true, "");
            core.onUp("a:1", 1, Hellos.AGGREGATOR, 0);
            core.submit(new Request(Request.Content.of(OperationKind.OPERATION_KIND_SUBMIT, ByteString.EMPTY,
                    SubmissionId.getDefaultInstance()),
                    null, 1_000_000_000), 0);
            ClientActions ended = core.onResult(1, Result.newBuilder().setSequence(1)
                    .setConfirmed(WriteConfirmed.newBuilder().addOutcomes(refusing)).build(), 1);
            assertThat(ended.sends()).isEmpty();
            assertThat(ended.deliveries()).hasSize(1);
            assertThat(ended.deliveries().get(0).last()).isTrue();
            assertThat(core.nextDeadlineNs()).as("nothing is left to be done").isEqualTo(Long.MAX_VALUE);
            assertThat(core.onDown("a:1", 1, "reset", 2).deliveries()).isEmpty();
        }
    }
}
