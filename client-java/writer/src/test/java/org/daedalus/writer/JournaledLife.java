package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.daedalus.wire.v1.EpochBody;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Marked;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.daedalus.writer.journal.FaultyFolder;
import org.daedalus.writer.journal.JournalLog;

/** One life of a writer with a journal in memory, before nodes that outlive it. */
final class JournaledLife implements WriterJournal.Listener {
    static final long BYTES_MAX = 1 << 20;
    private static final long PEER = 1;
    private static final long TIMEOUT_S = 20;
    private static final int SUBMISSIONS_KNOWN_MAX = 64;

    /** Nodes that take what is in order, and make it durable when they are told to. */
    static final class Nodes {
        final TreeMap<Long, Long> digests = new TreeMap<>();
        final long[] durable = new long[2];
        long epoch;
        long mark;

        long accepted() {
            return digests.isEmpty() ? 0 : digests.lastKey();
        }

        List<NodeWatermark> watermarks() {
            return List.of(node(0), node(1));
        }

        private NodeWatermark node(int node) {
            return NodeWatermark.newBuilder().setNode(node).setApplied(accepted()).setDurable(durable[node])
                    .setMark(mark).build();
        }

        void settle() {
            java.util.Arrays.fill(durable, accepted());
        }

        Result.Builder answer(Operation operation) throws IOException {
            return switch (operation.getHeader().getKind()) {
                case OPERATION_KIND_EPOCH -> raise(EpochBody.parseFrom(operation.getBody()));
                case OPERATION_KIND_UPDATE -> take(operation.getHeader().getUpdate().getTimestamp(),
                        operation.getHeader().getUpdate().getDigest());
                case OPERATION_KIND_MARK -> learn(operation.getHeader().getMark());
                default -> null;
            };
        }

        private Result.Builder raise(EpochBody body) {
            epoch = Math.max(epoch, body.getEpoch());
            return Result.newBuilder().setEpoch(EpochReply.newBuilder().setGranted(true).setEpoch(epoch)
                    .setHolder("writer").addAllAccepted(watermarks()));
        }

        private Result.Builder learn(long confirmed) {
            mark = Math.max(mark, confirmed);
            return Result.newBuilder().setMarked(Marked.newBuilder().addAllWatermarks(watermarks()));
        }

        private Result.Builder take(long timestamp, long digest) {
            if (timestamp > accepted() + 1) {
                return Result.newBuilder().setRefused(WriteRefused.newBuilder()
                        .setReason(WriteRefusal.WRITE_REFUSAL_GAP).setLastAccepted(accepted()));
            }
            Long before = digests.putIfAbsent(timestamp, digest);
            assertThat(before).as("update %d is the same for ever", timestamp).isIn(null, digest);
            durable[0] = accepted();
            return Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(timestamp)
                    .addOutcomes(PartitionOutcome.newBuilder().setNode((int) (timestamp % durable.length)))
                    .addAllWatermarks(watermarks()));
        }
    }

    final FaultyFolder folder;
    final WriterJournal journal;
    final WriterCore core;
    final Map<SubmissionKey, WriteConfirmed> outcomes = new HashMap<>();
    final Deque<Operation> open = new ArrayDeque<>();
    private final Nodes nodes;
    private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private long nowNs;
    private IOException problem;

    JournaledLife(FaultyFolder folder, Nodes nodes, boolean adopts) throws IOException {
        this(folder, nodes, adopts, BYTES_MAX, 16 << 10);
    }

    JournaledLife(FaultyFolder folder, Nodes nodes, boolean adopts, long bytesMax, long fileBytes) throws IOException {
        this.folder = folder;
        this.nodes = nodes;
        WriterOptions options = WriterCoreTest.options(SUBMISSIONS_KNOWN_MAX);
        this.journal = WriterJournal.open(folder, 9, bytesMax, adopts, options,
                new JournalLog.Options(fileBytes, 1, 1), this);
        this.core = new WriterCore(options, journal.recovered());
        assertThat(journal.belongsTo("cluster", "schema")).isNull();
        step(effects -> core.onUp(PEER, true, nowNs, effects));
        answerAll();
    }

    @Override
    public void onJournaled(long through) {
        events.add(() -> step(effects -> core.onJournaled(through, nowNs, effects)));
    }

    @Override
    public void onProblem(IOException reason) {
        events.add(() -> {
            problem = reason;
            journal.onProblem(reason);
            core.onJournalState(journal.state());
        });
    }

    @Override
    public void onLost(String reason) {
        events.add(() -> step(effects -> core.onJournalLost(journal.lost(reason), effects)));
    }

    /** Carries a step out as WriterDriver does. */
    private void step(Consumer<WriterEffects> event) {
        WriterEffects effects = new WriterEffects();
        event.accept(effects);
        carryOut(effects);
        WriterEffects atTheEndOfTheTurn = new WriterEffects();
        core.sendMarks(nowNs, atTheEndOfTheTurn);
        carryOut(atTheEndOfTheTurn);
    }

    private void carryOut(WriterEffects effects) {
        journal.append(effects, core.keptFrom() - 1);
        journal.clean(core.known());
        core.onJournalState(journal.state());
        effects.sends().forEach(send -> open.add(send.operation()));
        effects.outcomes().forEach(outcome -> {
            if (outcome.confirmed() != null) {
                assertThat(nodes.mark >= outcome.confirmed().getTimestamp()
                        || outcome.confirmed().getOutcomesCount() == 0).as("nodes with a part know").isTrue();
                WriteConfirmed before = outcomes.put(outcome.submission(), outcome.confirmed());
                assertThat(before).isIn(null, outcome.confirmed());
            }
        });
    }

    WriterEffects.Refusal submit(Submission submission) {
        WriterEffects effects = new WriterEffects();
        WriterEffects.Refusal refusal = core.submit(submission, ByteString.copyFromUtf8("body of "
                + submission.key().number()), List.of(), 1, effects);
        carryOut(effects);
        return refusal;
    }

    static Submission submission(long number, long epoch, long after, boolean repeated) {
        return new Submission(new SubmissionKey(1, 2, number), epoch, after, repeated);
    }

    Submission first(long number) {
        return submission(number, core.epoch(), core.numberedAfter(), false);
    }

    /** Takes in all that the journal's thread has said so far. */
    void look() {
        for (Runnable event = events.poll(); event != null; event = events.poll()) {
            event.run();
        }
    }

    void awaitJournaled() throws InterruptedException {
        while (core.journaledThrough() < core.lastNumbered()) {
            awaitEvent();
        }
    }

    /** Until the journal has what was numbered, or says why it has not. */
    void awaitJournaledOrProblem() throws InterruptedException {
        while (core.journaledThrough() < core.lastNumbered() && problem == null) {
            awaitEvent();
        }
    }

    /** Files go on the journal's thread, which says nothing of it: the writer sees it when it looks the next time. */
    void awaitJournalBytesBelow(long bytes) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (core.status().getJournalBytes() >= bytes) {
            assertThat(System.nanoTime() - until).as("files of the journal go").isNegative();
            Runnable event = events.poll(1, TimeUnit.MILLISECONDS);
            if (event != null) {
                event.run();
            }
            step(effects -> core.onDeadline(nowNs, effects));
        }
    }

    void awaitProblem(boolean is) throws InterruptedException {
        while ((problem != null) != is) {
            awaitEvent();
        }
    }

    void awaitEvent() throws InterruptedException {
        Runnable event = events.poll(TIMEOUT_S, TimeUnit.SECONDS);
        assertThat(event).as("an event of the journal").isNotNull();
        event.run();
    }

    void answerOne() throws IOException {
        Operation operation = open.poll();
        Result.Builder result = operation == null ? null : nodes.answer(operation);
        if (result != null) {
            Result answer = result.setSequence(operation.getHeader().getSequence()).build();
            step(effects -> core.onResult(PEER, answer, nowNs, effects));
        }
    }

    void answerAll() throws IOException {
        while (!open.isEmpty()) {
            answerOne();
        }
    }

    /** Until every update is confirmed and settled. */
    void settle() throws IOException, InterruptedException {
        for (int tried = 0; tried < 100 && core.status().getUpdatesKept() > 0; tried++) {
            awaitJournaled();
            nodes.settle();
            answerAll();
            nowNs += 10_000_000_000L;
            step(effects -> core.onDeadline(nowNs, effects));
        }
        assertThat(core.status().getUpdatesKept()).isZero();
    }
}
