package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Marked;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.WriteConfirmed;

/** A writer of two nodes that a test tells what arrives, and that says what it sends and whom it tells an outcome. */
abstract class WriterOfTwoNodes {
    static final long FIRST = 4;
    static final long SECOND = 5;
    static final long THIRD = 6;
    static final long EPOCH = 3;
    static final long START = 50;
    static final long REPEAT_NS = Marks.REPEAT_NS;
    static final long ANSWER_NS_MAX = Marks.ANSWER_NS_MAX;

    WriterCore core = new WriterCore(WriterCoreTest.options(1_000));
    WriterEffects effects = new WriterEffects();
    long nowNs;

    /** Becomes the writer of two nodes that have come as far as update 50, over these aggregators. */
    void start(long... peersThatTakeMarks) {
        for (long peer : peersThatTakeMarks) {
            core.onUp(peer, true, nowNs, effects);
        }
        raise();
    }

    void raise() {
        for (WriterEffects.Send send : List.copyOf(effects.sends())) {
            raise(send);
        }
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
    }

    private void raise(WriterEffects.Send send) {
        if (send.operation().getHeader().getKind() != OperationKind.OPERATION_KIND_EPOCH) {
            return;
        }
        effects = new WriterEffects();
        answer(send, Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(EPOCH - 1)));
        answer(effects.sends().get(0), Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true)
                .setEpoch(EPOCH).addAccepted(node(0, START, 0)).addAccepted(node(1, START, 0))));
    }

    static NodeWatermark node(int node, long durable, long mark) {
        return NodeWatermark.newBuilder().setNode(node).setApplied(durable).setDurable(durable).setMark(mark).build();
    }

    void answer(WriterEffects.Send send, Result.Builder result) {
        core.onResult(send.peer(), result.setSequence(send.operation().getHeader().getSequence()).build(), nowNs,
                effects);
    }

    /** Submits the update of that number, which is sent at once. */
    WriterEffects.Send submit(long number) {
        effects = new WriterEffects();
        assertThat(core.submit(first(number), ByteString.copyFromUtf8("body"), List.of(Route.getDefaultInstance()), 1,
                effects)).isNull();
        core.onJournaled(core.lastNumbered(), nowNs, effects);
        assertThat(effects.sends()).hasSize(1);
        return effects.sends().get(0);
    }

    Submission first(long number) {
        return new Submission(new SubmissionKey(1, 2, number), core.epoch(), core.lastNumbered(), false);
    }

    /** These nodes have a part in the update and have confirmed it; all nodes have it. */
    void confirm(WriterEffects.Send update, int... nodes) {
        long timestamp = update.operation().getHeader().getUpdate().getTimestamp();
        WriteConfirmed.Builder confirmed = WriteConfirmed.newBuilder().setTimestamp(timestamp)
                .addWatermarks(node(0, timestamp, 0)).addWatermarks(node(1, timestamp, 0));
        for (int node : nodes) {
            confirmed.addOutcomes(PartitionOutcome.newBuilder().setNode(node).setRowsApplied(1));
        }
        effects = new WriterEffects();
        answer(update, Result.newBuilder().setConfirmed(confirmed));
    }

    /** Sends the marks that are due, and returns them. */
    List<WriterEffects.Send> marks() {
        effects = new WriterEffects();
        core.sendMarks(nowNs, effects);
        effects.sends().forEach(send ->
                assertThat(send.operation().getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_MARK));
        return List.copyOf(effects.sends());
    }

    List<WriterEffects.Send> marksAfter(long waitNs) {
        nowNs += waitNs;
        effects = new WriterEffects();
        core.onDeadline(nowNs, effects);
        return marks();
    }

    void marked(WriterEffects.Send mark, NodeWatermark... nodes) {
        effects = new WriterEffects();
        answer(mark, Result.newBuilder().setMarked(Marked.newBuilder().addAllWatermarks(List.of(nodes))));
    }

    List<Long> told() {
        return effects.outcomes().stream().map(outcome -> {
            assertThat(outcome.error()).isNull();
            return outcome.confirmed().getTimestamp();
        }).toList();
    }

    static List<Long> peers(List<WriterEffects.Send> sends) {
        return sends.stream().map(WriterEffects.Send::peer).toList();
    }

    static List<Long> passingOn(List<WriterEffects.Send> sends) {
        return sends.stream().filter(send -> send.operation().getHeader().getIsPassedOn())
                .map(WriterEffects.Send::peer).toList();
    }

    static List<Long> values(List<WriterEffects.Send> sends) {
        return sends.stream().map(send -> send.operation().getHeader().getMark()).toList();
    }
}
