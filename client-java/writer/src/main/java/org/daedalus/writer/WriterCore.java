package org.daedalus.writer;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.daedalus.wire.v1.EpochBody;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.UpdateHeader;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefused;
import org.daedalus.wire.v1.WriterStatus;

/**
 * The logical writer's protocol (docs/protocol.md, "Updates", "Epochs", "Submissions").
 *
 * <p>Decides when to number, send, send again and forget updates. Knows no sockets, threads, clocks, schemas or files:
 * events and {@code nowNs} go in, {@link WriterEffects} come out, one timer is armed at {@link #nextDeadlineNs()}.
 */
final class WriterCore {
    /** Where the writer is on its way to numbering updates. */
    enum Phase {
        IDLE, INQUIRING, PROBING, RAISING, ACTIVE, FAILED
    }

    private static final long NEVER = Long.MAX_VALUE;
    private static final long DESCRIBE_SEQUENCE = 1;
    /** How far a node lets its epoch rise at a time (docs/protocol.md, "Epochs"). */
    private static final long EPOCH_STEP = 1 << 20;
    /** What an aggregator is still busy with is sent again after so many times the usual patience. */
    private static final int PATIENCE_FOR_THE_BUSY = 8;

    private final WriterOptions options;
    private final TreeMap<Long, Long> nextSequence = new TreeMap<>();
    private final Map<KeptUpdate.Carrier, Long> sent = new HashMap<>();
    private final TreeMap<Long, KeptUpdate> kept = new TreeMap<>();
    private final Watermarks watermarks = new Watermarks();
    private final KnownSubmissions known;
    private final ServedGaps gaps = new ServedGaps();
    private Phase phase = Phase.IDLE;
    private Error failure;
    private KeptUpdate.Carrier epochRequest;
    private long epochRetryNs = NEVER;
    private long epochKnown;
    private long epochAsked;
    /** The next step for nodes that are far behind; 0: none is known to be. */
    private long epochClimb;
    private Error epochRefusal;
    private long epoch;
    private long lastNumbered;
    private long confirmedThrough;
    private long lastProgressNs;
    private long bytesKept;

    WriterCore(WriterOptions options) {
        this.options = options;
        this.known = new KnownSubmissions(options.submissionsKnownMax(), options.submissionBytesMax());
    }

    Phase phase() {
        return phase;
    }

    /** Why the phase is FAILED. */
    Error failure() {
        return failure;
    }

    long epoch() {
        return epoch;
    }

    /** Why the epoch has not been raised yet, as nodes and aggregators say it; null when nobody has refused. */
    Error epochRefusal() {
        return epochRefusal;
    }

    long lastNumbered() {
        return lastNumbered;
    }

    long confirmedThrough() {
        return confirmedThrough;
    }

    // ---- aggregators come and go ----

    void onUp(long peer, long nowNs, WriterEffects effects) {
        nextSequence.put(peer, DESCRIBE_SEQUENCE + 1);
        effects.sends().add(new WriterEffects.Send(peer, Operation.newBuilder().setHeader(OperationHeader.newBuilder()
                .setSequence(DESCRIBE_SEQUENCE).setKind(OperationKind.OPERATION_KIND_DESCRIBE)).build()));
        if (phase == Phase.IDLE) {
            inquire(nowNs, effects);
            return;
        }
        kept.forEach((timestamp, update) -> {
            if (!update.sent && phase == Phase.ACTIVE) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    void onDown(long peer, long nowNs, WriterEffects effects) {
        nextSequence.remove(peer);
        sent.keySet().removeIf(carrier -> carrier.peer() == peer);
        if (epochRequest != null && epochRequest.peer() == peer) {
            epochRequest = null;
            epochRetryNs = nowNs + options.epochRetryNs();
        }
        kept.forEach((timestamp, update) -> {
            if (update.sent && update.via == peer && phase == Phase.ACTIVE) {
                update.sent = false;
                send(timestamp, nowNs, effects);
            }
        });
    }

    // ---- epochs ----

    private void inquire(long nowNs, WriterEffects effects) {
        phase = Phase.INQUIRING;
        epochRetryNs = nowNs + options.epochRetryNs();
        sendEpoch(EpochBody.newBuilder().setInquire(true).build(), effects);
    }

    private void raise(long nowNs, WriterEffects effects) {
        phase = Phase.RAISING;
        epochRetryNs = nowNs + options.epochRetryNs();
        epochAsked = epochClimb == 0 ? epochKnown + 1 : Math.min(epochClimb, epochKnown + 1);
        sendEpoch(EpochBody.newBuilder().setEpoch(epochAsked).setHolder(options.name())
                .setEndpoint(options.endpoint()).build(), effects);
    }

    private void sendEpoch(EpochBody body, WriterEffects effects) {
        if (nextSequence.isEmpty()) {
            return; // epochRetryNs comes back to it.
        }
        long peer = nextSequence.firstKey();
        epochRequest = new KeptUpdate.Carrier(peer, takeSequence(peer));
        effects.sends().add(new WriterEffects.Send(peer, Operation.newBuilder()
                .setHeader(OperationHeader.newBuilder().setSequence(epochRequest.sequence())
                        .setKind(OperationKind.OPERATION_KIND_EPOCH))
                .setBody(body.toByteString()).build()));
    }

    private long takeSequence(long peer) {
        long sequence = nextSequence.get(peer);
        nextSequence.put(peer, sequence + 1);
        return sequence;
    }

    private void onEpoch(EpochReply reply, long nowNs, WriterEffects effects) {
        epochRequest = null;
        epochRefusal = reply.getGranted() ? null : reply.getError();
        if (phase == Phase.INQUIRING) {
            onInquired(reply, nowNs, effects);
        } else if (phase == Phase.RAISING) {
            onRaised(reply, nowNs, effects);
        }
    }

    private void onInquired(EpochReply reply, long nowNs, WriterEffects effects) {
        if (!reply.getGranted()) {
            return; // A node did not answer; epochRetryNs asks again.
        }
        epochKnown = reply.getEpoch();
        if (epochKnown > 0 && !reply.getEndpoint().isEmpty() && !options.takeOver()) {
            phase = Phase.PROBING;
            epochRetryNs = NEVER;
            effects.setProbe(reply.getEndpoint());
            failure = Errors.rejected(Errors.OBJECT_IN_USE, reply.getHolder() + " at " + reply.getEndpoint()
                    + " is the writer (epoch " + reply.getEpoch() + ")", Errors.STOP_OR_TAKE_OVER);
            return;
        }
        raise(nowNs, effects);
    }

    void onProbed(boolean answers, long nowNs, WriterEffects effects) {
        if (phase != Phase.PROBING) {
            return;
        }
        if (answers) {
            fail(failure, effects);
            return;
        }
        failure = null;
        raise(nowNs, effects);
    }

    private void onRaised(EpochReply reply, long nowNs, WriterEffects effects) {
        if (!reply.getGranted()) {
            if (reply.getEpoch() > epochKnown && !reply.getHolder().equals(options.name())) {
                fail(Errors.rejected(Errors.OBJECT_IN_USE, reply.getHolder() + " at " + reply.getEndpoint()
                        + " became the writer meanwhile (epoch " + reply.getEpoch() + ")", Errors.STOP_OR_TAKE_OVER),
                        effects);
            }
            climb(reply.getError());
            epochKnown = Math.max(epochKnown, reply.getEpoch()); // A grant that was lost on its way: ask for the next.
            return;
        }
        NodeWatermark first = reply.getAccepted(0);
        for (NodeWatermark node : reply.getAcceptedList()) {
            if (node.getApplied() != first.getApplied()) {
                fail(Errors.fatal(Errors.CLUSTER_BROKEN, "node " + first.getNode() + " has accepted updates up to "
                        + first.getApplied() + ", node " + node.getNode() + " up to " + node.getApplied()
                        + ": updates that reached only some nodes cannot be completed without a journal",
                        Errors.START_AFRESH), effects);
                return;
            }
            watermarks.start(node);
        }
        epoch = epochAsked;
        lastNumbered = first.getApplied();
        confirmedThrough = lastNumbered;
        lastProgressNs = nowNs;
        epochRetryNs = NEVER;
        phase = Phase.ACTIVE;
    }

    /**
     * A node that is further behind than it may rise at a time refuses the next epoch; what it may rise to, others
     * refuse. Asked for step after step, it catches up. None is asked for more than the next one or the next step.
     */
    private void climb(Error refusal) {
        boolean isBelow = epochAsked <= epochKnown;
        if (isBelow) {
            epochClimb += EPOCH_STEP;
        } else if (refusal.getSqlstate().equals(Errors.INVALID_PARAMETER_VALUE)) {
            epochClimb = EPOCH_STEP;
        }
    }

    // ---- submissions ----

    /**
     * Takes an update that was checked against schema and map.
     *
     * @param body kept as it is: no part of anything larger
     * @return null, or why it has no number
     */
    WriterEffects.Refusal submit(Submission submission, ByteString body, List<Route> routes, long mapVersion,
            long nowNs, WriterEffects effects) {
        SubmissionKey key = submission.key();
        KnownSubmissions.Known found = known.find(key);
        if (found != null) {
            if (found.isConfirmed()) {
                effects.outcomes().add(new WriterEffects.SubmissionOutcome(key, found.confirmed(), null));
            } else if (phase == Phase.FAILED) {
                effects.outcomes().add(unknown(key, found.timestamp));
            }
            return null; // Under way: the outcome comes once, to all who ask under this id.
        }
        if (phase != Phase.ACTIVE) {
            return inactive(submission);
        }
        if (!known.isNew(submission, epoch, lastNumbered)) {
            return submission.repeated() ? SubmissionRefusals.unknowable(submission, memory())
                    : SubmissionRefusals.stale(submission, memory());
        }
        KeptUpdate update = new KeptUpdate(body, routes, mapVersion, key);
        boolean isFull = kept.size() >= options.updatesKeptMax()
                || (!kept.isEmpty() && bytesKept + update.bytes() > options.bytesKeptMax());
        if (isFull) {
            return WriterEffects.Refusal.of(noRoom());
        }
        if (kept.isEmpty()) {
            lastProgressNs = nowNs;
        }
        lastNumbered++;
        bytesKept += update.bytes();
        kept.put(lastNumbered, update);
        known.add(key, lastNumbered);
        send(lastNumbered, nowNs, effects);
        return null;
    }

    private WriterEffects.Refusal inactive(Submission submission) {
        if (phase != Phase.FAILED) {
            return WriterEffects.Refusal.of(Errors.retry(Errors.CANNOT_CONNECT_NOW,
                    "the writer has not raised its epoch on all nodes yet", "try again"));
        }
        return submission.repeated()
                ? SubmissionRefusals.unknowable(submission, failure.getMessage()) : WriterEffects.Refusal.of(failure);
    }

    private String memory() {
        return "the writer is in epoch " + epoch + " and knows what was submitted after update "
                + known.forgottenThrough();
    }

    /** What it keeps, for those who watch it. */
    WriterStatus.Builder status() {
        return WriterStatus.newBuilder()
                .setName(options.name())
                .setProblem(phase == Phase.ACTIVE ? "" : failure != null ? failure.getMessage() : phase.toString())
                .setEpoch(epoch)
                .setLastNumbered(lastNumbered)
                .setConfirmedThrough(confirmedThrough)
                .setSettledThrough(phase == Phase.ACTIVE ? watermarks.lowest() : 0)
                .setUpdatesKept(kept.size())
                .setUpdatesKeptMax(options.updatesKeptMax())
                .setUpdateBytesKept(bytesKept)
                .setUpdateBytesKeptMax(options.bytesKeptMax())
                .setSubmissionsKnown(known.count())
                .setSubmissionsKnownMax(options.submissionsKnownMax())
                .setSubmissionBytesKnown(known.bytes())
                .setSubmissionBytesKnownMax(options.submissionBytesMax())
                .setForgottenThrough(known.forgottenThrough());
    }

    private Error noRoom() {
        Map.Entry<Integer, Long> slowest = watermarks.slowest();
        return Errors.retry(Errors.LIMIT_EXCEEDED, kept.size() + " updates wait for node " + slowest.getKey()
                + ", which has reached " + slowest.getValue() + " of " + lastNumbered,
                "try again later, or see to that node");
    }

    // ---- sending ----

    private void send(long timestamp, long nowNs, WriterEffects effects) {
        if (nextSequence.isEmpty()) {
            return; // onUp() sends it.
        }
        KeptUpdate update = kept.get(timestamp);
        long peer = nextSequence.keySet().stream().skip(timestamp % nextSequence.size()).findFirst().orElseThrow();
        KeptUpdate.Carrier carrier = new KeptUpdate.Carrier(peer, takeSequence(peer));
        OperationHeader header = update.header()
                .setSequence(carrier.sequence())
                .setKind(OperationKind.OPERATION_KIND_UPDATE)
                .setUpdate(UpdateHeader.newBuilder().setEpoch(epoch).setTimestamp(timestamp)
                        .setDigest(update.digest).setConfirmedThrough(confirmedThrough))
                .build();
        sent.put(carrier, timestamp);
        KeptUpdate.Carrier givenUp = update.onSending(carrier, nowNs);
        if (givenUp != null) {
            sent.remove(givenUp);
        }
        effects.sends().add(new WriterEffects.Send(peer,
                Operation.newBuilder().setHeader(header).setBody(update.body).build()));
    }

    /**
     * What an aggregator has not answered is on its way, or the connection's end will say so: sent once more it would
     * only add to the load of those who are late with it.
     */
    private void resendFrom(long first, long nowNs, WriterEffects effects) {
        kept.tailMap(first).forEach((timestamp, update) -> {
            if (update.answered) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    private void resendUnsettled(long nowNs, WriterEffects effects) {
        long settled = watermarks.lowest();
        long sentBefore = nowNs - PATIENCE_FOR_THE_BUSY * options.resendAfterNs();
        kept.forEach((timestamp, update) -> {
            boolean isLacked = timestamp > settled || !update.confirmed; // Its confirmation may be lost.
            if (isLacked && (update.answered || update.sentNs <= sentBefore)) {
                send(timestamp, nowNs, effects);
            }
        });
    }

    /** No answer will come: the operation was not handed to its connection. */
    void onUnsent(long peer, long sequence) {
        KeptUpdate.Carrier carrier = new KeptUpdate.Carrier(peer, sequence);
        Long timestamp = sent.remove(carrier);
        if (timestamp != null) {
            kept.get(timestamp).onAnswer(carrier);
        }
    }

    long nextDeadlineNs() {
        boolean waits = phase == Phase.ACTIVE && !kept.isEmpty();
        long resendNs = waits ? lastProgressNs + options.resendAfterNs() : NEVER;
        return Math.min(resendNs, phase == Phase.FAILED ? NEVER : epochRetryNs);
    }

    void onDeadline(long nowNs, WriterEffects effects) {
        if (phase == Phase.INQUIRING && nowNs >= epochRetryNs) {
            inquire(nowNs, effects);
        } else if (phase == Phase.RAISING && nowNs >= epochRetryNs) {
            raise(nowNs, effects);
        } else if (phase == Phase.ACTIVE && !kept.isEmpty() && nowNs >= lastProgressNs + options.resendAfterNs()) {
            lastProgressNs = nowNs;
            resendUnsettled(nowNs, effects);
        }
    }

    // ---- answers ----

    void onResult(long peer, Result result, long nowNs, WriterEffects effects) {
        if (result.hasDescribed()) {
            effects.setDescribed(result.getDescribed());
            return;
        }
        KeptUpdate.Carrier carrier = new KeptUpdate.Carrier(peer, result.getSequence());
        if (carrier.equals(epochRequest)) {
            if (result.hasEpoch()) {
                onEpoch(result.getEpoch(), nowNs, effects);
            }
            epochRefusal = result.hasError() ? result.getError() : epochRefusal;
            return; // An error: epochRetryNs asks again.
        }
        Long timestamp = sent.get(carrier);
        if (timestamp == null || phase != Phase.ACTIVE) {
            return; // Late: everything about it is settled.
        }
        kept.get(timestamp).onAnswer(carrier);
        if (result.hasConfirmed()) {
            onConfirmed(timestamp, result.getConfirmed(), nowNs, effects);
        } else if (result.hasRefused()) {
            onRefused(result.getRefused(), nowNs, effects);
        }
    }

    private void onConfirmed(long timestamp, WriteConfirmed confirmed, long nowNs, WriterEffects effects) {
        if (watermarks.advance(confirmed)) {
            lastProgressNs = nowNs;
        }
        KeptUpdate update = kept.get(timestamp);
        if (!update.confirmed) {
            update.confirmed = true;
            lastProgressNs = nowNs;
            known.confirm(update.submission, confirmed);
            effects.outcomes().add(new WriterEffects.SubmissionOutcome(update.submission, confirmed, null));
            while (isConfirmed(confirmedThrough + 1)) {
                confirmedThrough++;
            }
        }
        forgetSettled();
    }

    private boolean isConfirmed(long timestamp) {
        KeptUpdate update = kept.get(timestamp);
        return update != null && update.confirmed;
    }

    private void forgetSettled() {
        long settled = watermarks.lowest();
        while (!kept.isEmpty() && kept.firstKey() <= settled && kept.firstEntry().getValue().confirmed) {
            KeptUpdate update = kept.pollFirstEntry().getValue();
            update.carriers().forEach(sent::remove);
            bytesKept -= update.bytes();
        }
    }

    private void onRefused(WriteRefused refused, long nowNs, WriterEffects effects) {
        switch (refused.getReason()) {
            case WRITE_REFUSAL_GAP -> onGap(refused, nowNs, effects);
            case WRITE_REFUSAL_OVERLOADED, WRITE_REFUSAL_UNREACHABLE -> {
                // Sent again when resendAfterNs have passed without progress.
            }
            case WRITE_REFUSAL_STALE_EPOCH -> fail(Errors.fatal(Errors.OBJECT_IN_USE, refused.getHolder()
                    + " has taken over as the writer (epoch " + refused.getEpoch() + ")", "send updates to it"),
                    effects);
            default -> fail(Errors.fatal(Errors.CLUSTER_BROKEN, "node " + refused.getNode() + " refused update "
                    + refused.getTimestamp() + ": " + refused.getError().getMessage(), Errors.START_AFRESH), effects);
        }
    }

    private void onGap(WriteRefused refused, long nowNs, WriterEffects effects) {
        long lastAccepted = refused.getLastAccepted();
        if (lastAccepted < watermarks.of(refused.getNode())) {
            return; // Old news: the node has come further since. One that has lost rows says so itself.
        }
        if (gaps.isNew(refused.getNode(), lastAccepted, nowNs, options.resendAfterNs())) {
            resendFrom(lastAccepted + 1, nowNs, effects);
        }
    }

    private void fail(Error error, WriterEffects effects) {
        phase = Phase.FAILED;
        failure = error;
        kept.forEach((timestamp, update) -> {
            if (!update.confirmed) {
                effects.outcomes().add(unknown(update.submission, timestamp));
            }
        });
    }

    private WriterEffects.SubmissionOutcome unknown(SubmissionKey submission, long timestamp) {
        return new WriterEffects.SubmissionOutcome(submission, null, Errors.unknown(Errors.OUTCOME_UNKNOWN, "update "
                + timestamp + " may or may not have taken effect: " + failure.getMessage(), failure.getHint()));
    }
}
