package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;

/** Reads of one client never go back, whichever of its aggregators they go to. */
class SeenMomentTest {
    private static final String A = "a:1";
    private static final String B = "b:1";
    private static final long DEADLINE = 1_000;

    private final ClientCore core = new ClientCore(List.of(A, B), true, "");

    private static Request query(ReadTerms reads) {
        return query(reads, DEADLINE);
    }

    private static Request query(ReadTerms reads, long deadlineNs) {
        return request(OperationKind.OPERATION_KIND_STATEMENT, null, reads, deadlineNs);
    }

    private static Request request(OperationKind kind, SubmissionId submission, ReadTerms reads) {
        return request(kind, submission, reads, DEADLINE);
    }

    private static Request request(OperationKind kind, SubmissionId submission, ReadTerms reads, long deadlineNs) {
        return new Request(new Request.Content(kind, null, ByteString.EMPTY, submission, List.of(), 0, reads, 0, "",
                ""), null, deadlineNs);
    }

    private static Request update() {
        return request(OperationKind.OPERATION_KIND_STATEMENT, SubmissionId.newBuilder().setNumber(1).build(),
                ReadTerms.NONE);
    }

    private ClientActions.Send send(Request request) {
        return core.submit(request, 0).sends().get(0);
    }

    private OperationHeader header(Request request) {
        return send(request).operation().getHeader();
    }

    private void answer(ClientActions.Send send, Result.Builder result) {
        core.onResult(send.peerId(), result.setSequence(send.operation().getHeader().getSequence()).build(), 0);
    }

    private void end(ClientActions.Send send, long moment) {
        answer(send, Result.newBuilder().setEnd(QueryEnd.newBuilder().setMoment(moment)));
    }

    private void confirm(ClientActions.Send send, long timestamp) {
        answer(send, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(timestamp)));
    }

    @Test
    void shouldDemandTheMomentOfItsLastAnswerOfEveryAggregator() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        core.onUp(B, 2, Hellos.KNOWS_MOMENTS, 0);
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).isZero();
        end(send(query(ReadTerms.NONE)), 70);
        ClientActions.Send first = send(query(ReadTerms.NONE));
        ClientActions.Send second = send(query(ReadTerms.NONE));
        assertThat(List.of(first.peerId(), second.peerId())).containsExactlyInAnyOrder(1L, 2L);
        assertThat(first.operation().getHeader().getPrefixMin()).isEqualTo(70);
        assertThat(second.operation().getHeader().getPrefixMin()).isEqualTo(70);
        assertThat(first.operation().getHeader().getIsFirm()).as("a later moment will do").isFalse();
        end(first, 60);
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).isEqualTo(70);
    }

    @Test
    void shouldDemandTheMomentOfAnAnswerFromItsFirstRowsOn() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        ClientActions.Send streaming = send(query(ReadTerms.NONE));
        answer(streaming, Result.newBuilder().setRows(QueryRows.newBuilder().setRowCount(1).setMoment(70)));
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).isEqualTo(70);
        answer(streaming, Result.newBuilder().setRows(QueryRows.newBuilder().setRowCount(1)));
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).isEqualTo(70);
        ClientActions.Send late = send(query(ReadTerms.NONE));
        core.onTick(DEADLINE);
        answer(late, Result.newBuilder().setRows(QueryRows.newBuilder().setRowCount(1).setMoment(80)));
        assertThat(core.submit(query(ReadTerms.NONE, 2 * DEADLINE), DEADLINE).sends().get(0).operation().getHeader()
                .getPrefixMin()).as("nobody has seen rows that come too late").isEqualTo(70);
    }

    @Test
    void shouldDemandTheTimestampOfItsLastConfirmedUpdate() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        end(send(query(ReadTerms.NONE)), 70);
        confirm(send(update()), 80);
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).isEqualTo(80);
        assertThat(header(query(new ReadTerms(75, ReadTerms.ANY_MOMENT, 0))).getPrefixMin()).isEqualTo(80);
        assertThat(header(query(new ReadTerms(90, ReadTerms.ANY_MOMENT, 0))).getPrefixMin()).isEqualTo(90);
    }

    @Test
    void shouldDemandItWhenItsAggregatorDiesAndTheQueryGoesToAnother() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        core.onDialFailed(B, "refused", false);
        ClientActions.Send first = send(query(ReadTerms.NONE));
        core.submit(query(ReadTerms.NONE), 0);
        end(first, 70);
        assertThat(core.onDown(A, 1, "reset", 0).sends()).isEmpty();
        List<ClientActions.Send> again = core.onUp(B, 2, Hellos.KNOWS_MOMENTS, 0).sends();
        assertThat(again).hasSize(1);
        assertThat(again.get(0).operation().getHeader().getPrefixMin()).isEqualTo(70);
    }

    @Test
    void shouldDemandNothingOfUpdatesAndOfQuestionsAboutTheCluster() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        end(send(query(ReadTerms.NONE)), 70);
        assertThat(header(update()).getPrefixMin()).isZero();
        assertThat(header(request(OperationKind.OPERATION_KIND_STATUS, null, ReadTerms.NONE)).getPrefixMin()).isZero();
    }

    @Test
    void shouldForgetWhatItSawInAClusterThatWasReplaced() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        end(send(query(ReadTerms.NONE)), 70);
        core.onDown(A, 1, "reset", 0);
        core.onUp(A, 2, Hellos.of("other", "schema"), 0);
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).isZero();
    }

    @Test
    void shouldAskAtAMomentThatTheApplicationGivesAndAtNoOther() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        end(send(query(ReadTerms.NONE)), 70);
        OperationHeader header = header(query(new ReadTerms(0, 50, 0)));
        assertThat(header.getAt()).isEqualTo(50);
        assertThat(header.getIsFirm()).isTrue();
        assertThat(header.getPrefixMin()).as("which is later than the moment").isZero();
        end(send(query(new ReadTerms(0, 50, 0))), 50);
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).as("it has seen more").isEqualTo(70);
        assertThat(header(query(new ReadTerms(0, 0, 0))).getIsFirm()).as("before the first update").isTrue();
    }

    @Test
    void shouldSayHowFreshAnAnswerMustBe() {
        core.onUp(A, 1, Hellos.KNOWS_MOMENTS, 0);
        OperationHeader header = header(query(new ReadTerms(0, ReadTerms.ANY_MOMENT, 5_000)));
        assertThat(header.getFreshnessNs()).isEqualTo(5_000);
        assertThat(header.getIsFirm()).isFalse();
    }

    @Test
    void shouldSendMomentsOnlyToAggregatorsThatKnowThem() {
        core.onUp(A, 1, Hellos.AGGREGATOR, 0);
        DaedalusException refusal = core.submit(query(new ReadTerms(0, 50, 0)), 0).deliveries().get(0).failure();
        assertThat(refusal.category()).isEqualTo(Category.REJECTED);
        assertThat(refusal.sqlState()).isEqualTo("0A000");
        confirm(send(update()), 80);
        assertThat(header(query(ReadTerms.NONE)).getPrefixMin()).as("older builds know this").isEqualTo(80);
        core.onUp(B, 2, Hellos.KNOWS_MOMENTS, 0);
        for (int asked = 0; asked < 4; asked++) {
            assertThat(send(query(new ReadTerms(0, 50, 0))).peerId()).isEqualTo(2);
            assertThat(send(query(new ReadTerms(0, ReadTerms.ANY_MOMENT, 9))).peerId()).isEqualTo(2);
        }
    }
}
