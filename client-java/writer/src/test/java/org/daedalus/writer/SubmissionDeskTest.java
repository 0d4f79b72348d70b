package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Constants;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Assignment;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.ColumnEquality;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Expression;
import org.daedalus.wire.v1.Limits;
import org.daedalus.wire.v1.ModifyPart;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The desk checks an update before it gets a number, knows who waits for it, and answers each once. */
class SubmissionDeskTest {
    private static final long PEER = 4;
    private static final long EPOCH = 1;
    private static final long START = 50;
    private static final long MAP_VERSION = 7;
    private static final int WAITERS_MAX = 3;
    private static final ColumnType INT = ColumnType.of(ColumnType.Kind.INT);

    private final WriterOptions options = WriterOptions.of("writer", "writer:1", false);
    private final WriterCore core = new WriterCore(options);
    private final SubmissionDesk desk = new SubmissionDesk(options, core, WAITERS_MAX);
    private WriterEffects effects = new WriterEffects();

    @BeforeEach
    void becomeTheWriter() throws WireException {
        core.onUp(PEER, false, 0, effects);
        core.onResult(PEER, epoch(2, EpochReply.newBuilder()), 0, effects);
        core.onResult(PEER, epoch(3, EpochReply.newBuilder().setEpoch(EPOCH).addAccepted(
                NodeWatermark.newBuilder().setApplied(START).setDurable(START))), 0, effects);
        describe(MAP_VERSION);
    }

    private static Result epoch(long sequence, EpochReply.Builder reply) {
        return Result.newBuilder().setSequence(sequence).setEpoch(reply.setGranted(true)).build();
    }

    private static SubmissionId.Builder id(long number) {
        return SubmissionId.newBuilder().setClient(ByteString.copyFrom(new byte[16])).setNumber(number)
                .setEpoch(EPOCH).setNumberedAfter(START);
    }

    private static UpdateBody setting(int column) {
        Expression value = Expression.newBuilder().setConstant(Constants.of(INT, 5)).build();
        return UpdateBody.newBuilder().addParts(UpdatePart.newBuilder().setModify(ModifyPart.newBuilder()
                .addAssignments(Assignment.newBuilder().setColumn(column).setValue(value)))).build();
    }

    private static Operation operation(SubmissionId.Builder id, UpdateBody update, long mapVersion) {
        return Operation.newBuilder().setHeader(OperationHeader.newBuilder()
                        .setKind(OperationKind.OPERATION_KIND_SUBMIT).setMapVersion(mapVersion))
                .setBody(SubmitBody.newBuilder().setSubmission(id).setUpdate(update).build().toByteString()).build();
    }

    /** A step as the driver makes it, without a journal. */
    private List<WriterEffects.Answer> take(long waiter, Operation operation) {
        effects = new WriterEffects();
        desk.onOperation(waiter, operation, effects);
        core.onJournaled(core.lastNumbered(), 0, effects);
        desk.settle(effects);
        return effects.answers();
    }

    private Error refused(Operation operation) {
        long before = core.lastNumbered();
        int waiting = desk.waiterCount();
        List<WriterEffects.Answer> answers = take(99, operation);
        assertThat(answers).extracting(WriterEffects.Answer::waiter).containsExactly(99L);
        assertThat(core.lastNumbered()).as("numbered").isEqualTo(before);
        assertThat(desk.waiterCount()).isEqualTo(waiting);
        return answers.get(0).result().getError();
    }

    private void assertRefused(Operation operation, String sqlState, String message) {
        Error error = refused(operation);
        assertThat(error.getSqlstate()).isEqualTo(sqlState);
        assertThat(error.getMessage()).contains(message);
    }

    /** Confirms the update that was sent last. */
    private List<WriterEffects.Answer> confirm() {
        return confirm(effects.sends().get(effects.sends().size() - 1).operation().getHeader());
    }

    private List<WriterEffects.Answer> confirm(OperationHeader update) {
        long timestamp = update.getUpdate().getTimestamp();
        long sequence = update.getSequence();
        effects = new WriterEffects();
        core.onResult(PEER, Result.newBuilder().setSequence(sequence).setConfirmed(confirmation(timestamp)).build(), 0,
                effects);
        desk.settle(effects);
        return effects.answers();
    }

    private static WriteConfirmed confirmation(long timestamp) {
        return WriteConfirmed.newBuilder().setTimestamp(timestamp).build();
    }

    @Test
    void shouldRefuseWhatIsNoSubmission() {
        Operation select = Operation.newBuilder().setHeader(OperationHeader.newBuilder()
                .setKind(OperationKind.OPERATION_KIND_SELECT)).build();
        assertRefused(select, "0A000", "but not OPERATION_KIND_SELECT");
        Operation garbage = operation(id(1), setting(0), 0).toBuilder().setBody(ByteString.copyFrom(new byte[] {-1}))
                .build();
        assertRefused(garbage, "08P01", "does not parse");
        assertRefused(operation(id(1).setClient(ByteString.EMPTY), setting(0), 0), "08P01", "an id of 16 bytes");
    }

    @Test
    void shouldRefuseWhatItCannotCheckYet() {
        SubmissionDesk blind = new SubmissionDesk(options, core, WAITERS_MAX);
        assertThat(blind.isDescribed()).isFalse();
        blind.onOperation(1, operation(id(1), setting(0), 0), effects);
        Error error = effects.answers().get(0).result().getError();
        assertThat(error.getSqlstate()).isEqualTo("57P03");
        assertThat(error.getCategory()).isEqualTo(ErrorCategory.ERROR_CATEGORY_RETRY);
    }

    @Test
    void shouldRefuseWhatIsWrongInItself() {
        assertRefused(operation(id(1), setting(1), 0), "42703", "there is no column 1");
    }

    @Test
    void shouldRefuseWhatWasRoutedByAnotherMap() {
        assertRefused(operation(id(1), setting(0), MAP_VERSION - 1), "55000", "the writer has 7");
        assertThat(take(1, operation(id(1), setting(0), MAP_VERSION))).isEmpty();
        assertThat(take(2, operation(id(2), setting(0), 0))).isEmpty();
        assertThat(effects.sends().get(0).operation().getHeader().getMapVersion()).isEqualTo(MAP_VERSION);
    }

    private void describe(long mapVersion) throws WireException {
        desk.onDescribed(DescribeReply.newBuilder()
                .addColumns(Column.newBuilder().setName("id").setType(WireTypes.toMessage(INT)))
                .setMap(PartitionMap.newBuilder().setVersion(mapVersion))
                .setLimits(Limits.newBuilder().setUpdateBytesMax(1_000).setUpdateRowsMax(10).setLiteralsMax(10))
                .build());
    }

    @Test
    void shouldNotTakeTheMapOfAnAggregatorThatWasLeftBehind() throws WireException {
        describe(MAP_VERSION - 1);
        assertThat(take(1, operation(id(1), setting(0), MAP_VERSION))).isEmpty();
        describe(MAP_VERSION + 1);
        assertRefused(operation(id(2), setting(0), MAP_VERSION), "55000", "the writer has 8");
    }

    private Error refusedRoute(Route route) {
        effects = new WriterEffects();
        desk.submit(99, id(1).build(), setting(0), List.of(Route.getDefaultInstance(), route), effects);
        assertThat(core.lastNumbered()).as("numbered").isEqualTo(START);
        assertThat(effects.records()).isEmpty();
        return effects.answers().get(0).result().getError();
    }

    private static Route routeOver(int column, Constant... values) {
        return Route.newBuilder().addEqualities(ColumnEquality.newBuilder().setColumn(column)
                .addAllValues(List.of(values))).build();
    }

    @Test
    void shouldNumberNoUpdateWhoseRoutesNoAggregatorCanFollow() throws WireException {
        Constant five = Constants.of(INT, 5);
        Constant text = Constants.of(ColumnType.varcharOf(3), "abc");
        assertThat(refusedRoute(routeOver(1, five)).getMessage()).isEqualTo("route: there is no column at position 1");
        assertThat(refusedRoute(routeOver(-1, five)).getMessage()).contains("no column at position 4294967295");
        assertThat(refusedRoute(routeOver(0)).getMessage()).isEqualTo("route: no values for column \"id\"");
        assertThat(refusedRoute(routeOver(0, five).toBuilder().addAllEqualities(routeOver(0, five).getEqualitiesList())
                .build()).getMessage()).isEqualTo("route: column \"id\" is named twice");
        Error rows = refusedRoute(Route.newBuilder().setFirstOrdinal(4).setRowCount(7).build());
        assertThat(rows.getMessage()).isEqualTo("route: rows 4 to 10, an update has at most 10");
        assertThat(rows.getSqlstate()).isEqualTo("08P01");
        assertThat(rows.getCategory()).isEqualTo(ErrorCategory.ERROR_CATEGORY_REJECTED);
        desk.submit(1, id(1).build(), setting(0), List.of(routeOver(0, text), Route.newBuilder().setFirstOrdinal(4)
                .setRowCount(6).build(), Route.newBuilder().setFirstOrdinal(11).build()), effects);
        assertThat(core.lastNumbered()).as("id is no column of the map").isEqualTo(START + 1);
    }

    @Test
    void shouldNumberNoUpdateWhoseRoutesHaveValuesOfAnotherType() throws WireException {
        desk.onDescribed(DescribeReply.newBuilder()
                .addColumns(Column.newBuilder().setName("id").setType(WireTypes.toMessage(INT)))
                .addColumns(Column.newBuilder().setName("no").setType(WireTypes.toMessage(INT)))
                .setMap(PartitionMap.newBuilder().setVersion(MAP_VERSION).addColumns(0))
                .setLimits(Limits.newBuilder().setUpdateBytesMax(1_000).setUpdateRowsMax(10).setLiteralsMax(10))
                .build());
        Constant five = Constants.of(INT, 5);
        assertThat(refusedRoute(routeOver(0, five, Constants.of(ColumnType.of(ColumnType.Kind.BIGINT), 5L)))
                .getMessage()).isEqualTo("route: a value of type bigint for column \"id\" of type integer");
        assertThat(refusedRoute(routeOver(0, five.toBuilder().setPacked(ByteString.copyFrom(new byte[3])).build()))
                .getMessage()).startsWith("route: column \"id\": ");
        desk.submit(1, id(1).build(), setting(1), List.of(routeOver(0, five), Route.newBuilder().setRowCount(99)
                .build()), effects);
        assertThat(core.lastNumbered()).as("ordinals place nothing").isEqualTo(START + 1);
    }

    @Test
    void shouldLetOnlySoManyWait() {
        for (int waiter = 1; waiter <= WAITERS_MAX; waiter++) {
            assertThat(take(waiter, operation(id(waiter), setting(0), 0))).isEmpty();
        }
        assertRefused(operation(id(9), setting(0), 0), "53400", "3 submissions wait already");
        assertThat(desk.waiterCount()).isEqualTo(WAITERS_MAX);
        effects.sends().clear();
        core.onDeadline(Long.MAX_VALUE / 2, effects);
        assertThat(confirm(effects.sends().get(0).operation().getHeader())).hasSize(1);
        assertThat(take(10, operation(id(10), setting(0), 0))).isEmpty();
    }

    @Test
    void shouldSayInEveryAnswerHowMuchIsConfirmed() {
        take(1, operation(id(1), setting(0), 0));
        assertThat(confirm().get(0).result().getMark()).isEqualTo(START + 1);
        take(2, operation(id(2), setting(0), 0));
        List<WriterEffects.Answer> refusal = take(3, operation(id(3).setEpoch(EPOCH + 1), setting(0), 0));
        assertThat(refusal.get(0).result().getMark()).as("the second update is open").isEqualTo(START + 1);
    }

    @Test
    void shouldAnswerAllWhoWaitForTheSameSubmissionOnce() {
        take(1, operation(id(5), setting(0), 0));
        List<WriterEffects.Send> sent = effects.sends();
        take(2, operation(id(5).setRepeated(true), setting(0), 0));
        assertThat(effects.sends()).isEmpty();
        effects.sends().addAll(sent);
        List<WriterEffects.Answer> answers = confirm();
        assertThat(answers).extracting(WriterEffects.Answer::waiter).containsExactly(1L, 2L);
        assertThat(answers).allSatisfy(answer ->
                assertThat(answer.result().getConfirmed()).isEqualTo(confirmation(START + 1)));
        assertThat(desk.waiterCount()).isZero();
        assertThat(take(3, operation(id(5).setRepeated(true), setting(0), 0)))
                .extracting(WriterEffects.Answer::waiter).containsExactly(3L);
        assertThat(desk.waiterCount()).isZero();
    }

    @Test
    void shouldSayWhatAStaleSubmissionHasToKnow() {
        Result stale = take(1, operation(id(1).setEpoch(0), setting(0), 0)).get(0).result();
        assertThat(stale.getRefused().getReason()).isEqualTo(WriteRefusal.WRITE_REFUSAL_STALE_SUBMISSION);
        assertThat(stale.getRefused().getEpoch()).isEqualTo(EPOCH);
        assertThat(stale.getRefused().getTimestamp()).isEqualTo(START);
        assertThat(stale.getRefused().getHolder()).isEqualTo("writer");
        assertThat(desk.waiterCount()).isZero();
    }

    @Test
    void shouldTakeANewUpdateOfItsOwnProcessWhateverItsIdSays() {
        desk.submit(1, id(1).setEpoch(0).setNumberedAfter(0).build(), setting(0), List.of(), effects);
        assertThat(core.lastNumbered()).isEqualTo(START + 1);
        assertThat(effects.answers()).isEmpty();
        desk.submit(2, id(2).setEpoch(0).setRepeated(true).build(), setting(0), List.of(), effects);
        assertThat(effects.answers().get(0).result().getError().getSqlstate()).isEqualTo("08007");
    }

    @Test
    void shouldTellWhoWaitsThatNobodyKnowsWhenTheWriterIsReplaced() {
        take(1, operation(id(1), setting(0), 0));
        long sequence = effects.sends().get(0).operation().getHeader().getSequence();
        effects = new WriterEffects();
        core.onResult(PEER, Result.newBuilder().setSequence(sequence).setRefused(org.daedalus.wire.v1.WriteRefused
                .newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_STALE_EPOCH).setEpoch(2)).build(), 0, effects);
        desk.settle(effects);
        assertThat(effects.answers()).hasSize(1);
        assertThat(effects.answers().get(0).result().getError().getSqlstate()).isEqualTo("08007");
    }
}
