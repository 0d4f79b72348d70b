package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.EpochBody;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.junit.jupiter.api.Test;

/** A writer before nodes whose epochs lie far apart; the same as {@code tests/cluster/epoch_test.cpp} of its twin. */
class WriterEpochTest {
    private static final long PEER = 3;
    private static final long STEP = 1L << 20;

    private final WriterOptions options = WriterOptions.of("writer", "writer:1", false);
    private final WriterCore core = new WriterCore(options);
    private final long[] nodes;
    private final List<Long> asked = new ArrayList<>();
    private long nowNs;
    /** The second node cannot write an epoch. */
    private boolean isDiskFull;

    WriterEpochTest() {
        this.nodes = new long[2];
    }

    /** Answers as an aggregator does for nodes that let their epochs rise by a step at a time. */
    private EpochReply answer(EpochBody body) {
        EpochReply.Builder reply = EpochReply.newBuilder().setGranted(true);
        for (int node = 0; node < nodes.length; node++) {
            if (!body.getInquire() && isDiskFull && node == 1) {
                reply.setGranted(false).setError(Error.newBuilder().setSqlstate("53100").setMessage("disk full"));
            } else if (!body.getInquire() && body.getEpoch() > nodes[node] && body.getEpoch() - nodes[node] <= STEP) {
                nodes[node] = body.getEpoch();
            } else if (!body.getInquire()) {
                boolean isTooFar = body.getEpoch() > nodes[node];
                reply.setGranted(false).setError(Error.newBuilder().setSqlstate(isTooFar ? "22023" : "55006")
                        .setMessage("node " + node));
            }
            if (nodes[node] > reply.getEpoch()) {
                reply.setEpoch(nodes[node]).setHolder("writer").setEndpoint(body.getInquire() ? "" : "writer:1");
            }
            reply.addAccepted(NodeWatermark.newBuilder().setNode(node));
        }
        return reply.build();
    }

    private void answerAll(WriterEffects effects) throws InvalidProtocolBufferException {
        WriterEffects open = effects;
        while (!open.sends().isEmpty()) {
            WriterEffects next = new WriterEffects();
            for (WriterEffects.Send send : open.sends()) {
                if (send.operation().getHeader().getKind() == OperationKind.OPERATION_KIND_EPOCH) {
                    EpochBody body = EpochBody.parseFrom(send.operation().getBody());
                    if (!body.getInquire()) {
                        asked.add(body.getEpoch());
                    }
                    core.onResult(PEER, Result.newBuilder().setSequence(send.operation().getHeader().getSequence())
                            .setEpoch(answer(body)).build(), nowNs, next);
                }
            }
            open = next;
        }
    }

    private void start() throws InvalidProtocolBufferException {
        WriterEffects effects = new WriterEffects();
        core.onUp(PEER, false, nowNs, effects);
        answerAll(effects);
    }

    private void passTime() throws InvalidProtocolBufferException {
        nowNs = core.nextDeadlineNs();
        WriterEffects effects = new WriterEffects();
        core.onDeadline(nowNs, effects);
        answerAll(effects);
    }

    @Test
    void shouldAskForTheNextEpoch() throws InvalidProtocolBufferException {
        nodes[0] = 41;
        nodes[1] = 40;
        start();
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(core.epoch()).isEqualTo(42);
        assertThat(asked).containsExactly(42L);
    }

    @Test
    void shouldRaiseANodeThatIsFarBehindStepByStep() throws InvalidProtocolBufferException {
        nodes[0] = 3 * STEP;
        start();
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.RAISING);
        assertThat(core.epochRefusal().getSqlstate()).isEqualTo("22023");
        for (int retries = 0; retries < 4; retries++) {
            passTime();
        }
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(asked).containsExactly(3 * STEP + 1, STEP, 2 * STEP, 3 * STEP, 3 * STEP + 2);
        assertThat(core.epoch()).isEqualTo(3 * STEP + 2);
        assertThat(core.epochRefusal()).isNull();
    }

    /** The step that is asked for last is an epoch that another node has already. */
    @Test
    void shouldGoOnBehindAStepThatIsTheEpochOfAnotherNode() throws InvalidProtocolBufferException {
        nodes[0] = 2 * STEP - 1;
        start();
        for (int retries = 0; retries < 3; retries++) {
            passTime();
        }
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
        assertThat(asked).containsExactly(2 * STEP, STEP, 2 * STEP, 2 * STEP + 1);
    }

    @Test
    void shouldAskAgainWhenAnAggregatorGrantsInTheNameOfNoNode() {
        WriterEffects effects = new WriterEffects();
        core.onUp(PEER, false, nowNs, effects);
        core.onResult(PEER, Result.newBuilder().setSequence(2).setEpoch(EpochReply.newBuilder().setGranted(true))
                .build(), nowNs, effects);
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.RAISING);
        core.onResult(PEER, Result.newBuilder().setSequence(3).setEpoch(EpochReply.newBuilder().setGranted(true)
                .setEpoch(1)).build(), nowNs, effects);
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.RAISING);
        assertThat(core.epochRefusal().getMessage()).contains("in the name of no node");
        assertThat(core.nextDeadlineNs()).isLessThan(Long.MAX_VALUE);
    }

    private WriterEffects learnsOfAHolder() {
        WriterEffects effects = new WriterEffects();
        core.onUp(PEER, false, nowNs, effects);
        effects = new WriterEffects();
        core.onResult(PEER, Result.newBuilder().setSequence(2).setEpoch(EpochReply.newBuilder().setGranted(true)
                .setEpoch(4).setHolder("another").setEndpoint("another:1")).build(), nowNs, effects);
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.PROBING);
        assertThat(core.status().getProblem()).contains("another at another:1 is the writer");
        assertThat(effects.probe()).isEqualTo("another:1");
        assertThat(effects.deadlineNs()).as("it waits for the probe alone").isEqualTo(Long.MAX_VALUE);
        return new WriterEffects();
    }

    @Test
    void shouldNotWriteBesideAWriterThatAnswers() {
        WriterEffects effects = learnsOfAHolder();
        core.onProbed(true, nowNs, effects);
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(core.failure().getSqlstate()).isEqualTo("55006");
        assertThat(effects.deadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldRaiseTheEpochOfAWriterThatDoesNotAnswer() {
        WriterEffects effects = learnsOfAHolder();
        core.onProbed(false, nowNs, effects);
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.RAISING);
        assertThat(effects.sends()).hasSize(1);
        assertThat(effects.deadlineNs()).isEqualTo(nowNs + options.epochRetryNs());
        assertThat(core.status().getProblem()).isEqualTo("RAISING");
    }

    /** Returns the epoch that the writer asks for when the nodes know this; null when it asks for none. */
    private static Long askedFor(boolean takeOver, EpochReply.Builder known) throws InvalidProtocolBufferException {
        WriterCore fresh = new WriterCore(WriterOptions.of("writer", "writer:1", takeOver));
        fresh.onUp(PEER, false, 0, new WriterEffects());
        WriterEffects effects = new WriterEffects();
        fresh.onResult(PEER, Result.newBuilder().setSequence(2).setEpoch(known).build(), 0, effects);
        assertThat(effects.probe() != null).isEqualTo(fresh.phase() == WriterCore.Phase.PROBING);
        return effects.sends().isEmpty() ? null
                : EpochBody.parseFrom(effects.sends().get(0).operation().getBody()).getEpoch();
    }

    @Test
    void shouldLookForAHolderOnlyWhereOneMayAnswer() throws InvalidProtocolBufferException {
        EpochReply.Builder held = EpochReply.newBuilder().setGranted(true).setEpoch(1).setHolder("another");
        assertThat(askedFor(false, held.clone())).as("nowhere to look").isEqualTo(2);
        assertThat(askedFor(true, held.clone().setEndpoint("another:1"))).as("told to take over").isEqualTo(2);
        assertThat(askedFor(false, held.clone().setEndpoint("another:1"))).isNull();
        assertThat(askedFor(false, held.clone().setEndpoint("another:1").setEpoch(0))).as("no writer yet").isEqualTo(1);
        assertThat(askedFor(false, held.clone().setGranted(false))).as("not all nodes have answered").isNull();
    }

    @Test
    void shouldTakeNoNewsOfAProbeThatItDoesNotWaitFor() {
        WriterEffects effects = new WriterEffects();
        core.onUp(PEER, false, nowNs, effects);
        core.onProbed(true, nowNs, effects);
        core.onProbed(false, nowNs, effects);
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.INQUIRING);
        assertThat(effects.sends()).as("DESCRIBE and the inquiry").hasSize(2);
    }

    @Test
    void shouldAskAgainAfterItsWait() {
        assertThat(options.epochRetryNs()).isEqualTo(500_000_000L);
        core.onUp(PEER, false, nowNs, new WriterEffects());
        WriterEffects effects = new WriterEffects();
        core.onDeadline(options.epochRetryNs() - 1, effects);
        assertThat(effects.sends()).isEmpty();
        core.onDeadline(options.epochRetryNs(), effects);
        assertThat(effects.sends()).hasSize(1);
    }

    /** Returns a core that has asked for epoch 5, after the nodes' answer. */
    private WriterCore answered(EpochReply.Builder reply) {
        WriterCore fresh = new WriterCore(options);
        fresh.onUp(PEER, false, 0, new WriterEffects());
        fresh.onResult(PEER, Result.newBuilder().setSequence(2).setEpoch(EpochReply.newBuilder().setGranted(true)
                .setEpoch(4)).build(), 0, new WriterEffects());
        fresh.onResult(PEER, Result.newBuilder().setSequence(3).setEpoch(reply).build(), 0, new WriterEffects());
        return fresh;
    }

    @Test
    void shouldGiveWayToAWriterThatWasFaster() {
        EpochReply.Builder held = EpochReply.newBuilder().setHolder("another").setEndpoint("another:1");
        WriterCore late = answered(held.clone().setEpoch(5));
        assertThat(late.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(late.failure().getMessage()).contains("another at another:1 became the writer meanwhile (epoch 5)");
        assertThat(answered(held.clone().setEpoch(4)).phase()).as("as before").isEqualTo(WriterCore.Phase.RAISING);
        assertThat(answered(held.clone().setEpoch(5).setHolder("writer").setEndpoint("writer:1")).phase())
                .as("its own grant, lost").isEqualTo(WriterCore.Phase.RAISING);
        assertThat(answered(held.clone().setEpoch(5).setHolder("writer")).phase()).as("another of its name")
                .isEqualTo(WriterCore.Phase.FAILED);
    }

    @Test
    void shouldNotWriteWhereNodesDoNotHaveTheSameUpdates() {
        WriterCore stopped = answered(EpochReply.newBuilder().setGranted(true).setEpoch(5)
                .addAccepted(NodeWatermark.newBuilder().setNode(0).setApplied(7))
                .addAccepted(NodeWatermark.newBuilder().setNode(1).setApplied(8)));
        assertThat(stopped.phase()).isEqualTo(WriterCore.Phase.FAILED);
        assertThat(stopped.failure().getMessage()).contains("cannot be completed without a journal");
    }

    @Test
    void shouldNotBeginBehindWhatANodeMayStillLose() {
        WriterCore waiting = answered(EpochReply.newBuilder().setGranted(true).setEpoch(5)
                .addAccepted(NodeWatermark.newBuilder().setNode(0).setApplied(7).setDurable(7))
                .addAccepted(NodeWatermark.newBuilder().setNode(1).setApplied(7).setDurable(6)));
        assertThat(waiting.phase()).isEqualTo(WriterCore.Phase.RAISING);
        assertThat(waiting.epochRefusal().getMessage())
                .isEqualTo("node 1 has accepted updates up to 7, and up to 6 they are durable");
        assertThat(waiting.nextDeadlineNs()).as("when it asks again").isLessThan(Long.MAX_VALUE);
    }

    /** Each epoch is written to the disks of all nodes. */
    @Test
    void shouldRaiseMoreSeldomWhereEpochsAreOfNoUse() throws InvalidProtocolBufferException {
        isDiskFull = true;
        start();
        List<Long> pauses = new ArrayList<>();
        for (int retries = 0; retries < 7; retries++) {
            long beforeNs = nowNs;
            passTime();
            pauses.add((nowNs - beforeNs) / 500_000_000L);
        }
        assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 16L, 16L);
        isDiskFull = false;
        passTime();
        assertThat(core.phase()).isEqualTo(WriterCore.Phase.ACTIVE);
    }

    @Test
    void shouldAskAgainWhenItsRequestIsLostWithItsAggregator() {
        core.onUp(PEER, false, nowNs, new WriterEffects());
        WriterEffects effects = new WriterEffects();
        nowNs += 100;
        core.onDown(PEER, nowNs, effects);
        assertThat(effects.deadlineNs()).isEqualTo(nowNs + options.epochRetryNs());
    }
}
