package org.daedalus.writer;

import java.util.List;
import org.daedalus.wire.v1.EpochBody;
import org.daedalus.wire.v1.EpochReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;

/**
 * Makes a process the writer: learns the epoch of all nodes, looks whether its holder still answers, and raises it
 * (docs/protocol.md, "Epochs"); and keeps it the writer when a node was started again. Pure; ends granted or refused.
 */
final class EpochRaise {
    /** Says how far the raising has come. */
    enum State {
        IDLE, INQUIRING, PROBING, RAISING, GRANTED, REFUSED
    }

    /** The updates that the writer has numbered: it can send again from the one on, up to the other. */
    record Numbered(long keptFrom, long last) {}

    private static final long NEVER = Long.MAX_VALUE;
    /** A node lets its epoch rise so far at a time (docs/protocol.md, "Epochs"). */
    private static final long EPOCH_STEP = 1 << 20;
    /** The pause before the next epoch is doubled so often at most: to eight seconds. */
    private static final int DOUBLINGS_MAX = 4;

    private final WriterOptions options;
    private final LiveAggregators aggregators;
    private State state = State.IDLE;
    private KeptUpdate.Carrier request;
    /** The aggregator that is asked, or the first of those that may be asked instead. */
    private long asksFrom;
    private long retryNs = NEVER;
    private long known;
    /** Names who held the epoch when the nodes were asked, before the first was raised. */
    private String foundHolder = "";
    private long asked;
    /** The next step for nodes that are far behind; 0: none is known to be. */
    private long climb;
    private Error problem;
    private Error lastRefusal;
    private List<NodeWatermark> accepted = List.of();
    /** This is null until something is numbered. */
    private Numbered numbered;
    /** A writer that has numbered nothing may begin behind what others have numbered. */
    private final boolean adopts;
    private long pausesUntilNs = Long.MIN_VALUE;
    /** The number of epochs in a row that failed because of a node that an operator has to look at. */
    private int vain;

    EpochRaise(WriterOptions options, LiveAggregators aggregators, RecoveredJournal journal) {
        this.options = options;
        this.aggregators = aggregators;
        this.adopts = journal.adopts();
        this.numbered = journal.isUsed() ? new Numbered(journal.keptFrom(), journal.lastNumbered()) : null;
    }

    State state() {
        return state;
    }

    /** Returns why it is REFUSED, or who is being probed; null: nothing is known against it. */
    Error problem() {
        return problem;
    }

    /** Returns why nodes and aggregators did not answer or grant the last request; null: they did. */
    Error lastRefusal() {
        return lastRefusal;
    }

    /** Returns the epoch that was GRANTED. */
    long epoch() {
        return asked;
    }

    /** Returns what every node had accepted when it granted the epoch, which is the same of all. */
    List<NodeWatermark> accepted() {
        return accepted;
    }

    long nextDeadlineNs() {
        return retryNs;
    }

    /** Says whether the operation is the one whose answer is waited for. */
    boolean isRequest(KeptUpdate.Carrier carrier) {
        return carrier.equals(request);
    }

    void start(long nowNs, WriterEffects effects) {
        state = State.INQUIRING;
        retryNs = nowNs + options.epochRetryNs();
        send(EpochBody.newBuilder().setInquire(true).build(), effects);
    }

    /**
     * A node was started again since it granted the epoch: the holder raises it anew, on all nodes, and asks nobody
     * whether it may. Not sooner after the last time than it would ask again anyway.
     */
    void again(Numbered has, long nowNs, WriterEffects effects) {
        known = asked;
        climb = 0;
        numbered = has;
        if (nowNs >= pausesUntilNs) {
            raise(nowNs, effects);
            return;
        }
        state = State.RAISING;
        retryNs = pausesUntilNs;
    }

    void onDown(long peer, long nowNs) {
        if (request != null && request.peer() == peer) {
            request = null;
            retryNs = nowNs + options.epochRetryNs();
        }
    }

    void onDeadline(long nowNs, WriterEffects effects) {
        if (nowNs < retryNs) {
            return;
        }
        asksFrom++; // The one that was asked may not reach the nodes: the next in turn.
        if (state == State.INQUIRING) {
            start(nowNs, effects);
        } else if (state == State.RAISING) {
            raise(nowNs, effects);
        }
    }

    void onProbed(boolean answers, long nowNs, WriterEffects effects) {
        if (state != State.PROBING) {
            return;
        }
        if (answers) {
            state = State.REFUSED;
            return;
        }
        problem = null;
        raise(nowNs, effects);
    }

    /** Takes the answer to the request. An error changes nothing: the deadline asks again. */
    void onResult(Result result, long nowNs, WriterEffects effects) {
        if (result.hasEpoch()) {
            EpochReply reply = result.getEpoch();
            request = null;
            lastRefusal = reply.getGranted() ? null : reply.getError();
            if (state == State.INQUIRING) {
                onInquired(reply, nowNs, effects);
            } else if (state == State.RAISING) {
                onRaised(reply, nowNs);
            }
        }
        lastRefusal = result.hasError() ? result.getError() : lastRefusal;
    }

    private void onInquired(EpochReply reply, long nowNs, WriterEffects effects) {
        if (!reply.getGranted()) {
            return; // A node did not answer; the deadline asks again.
        }
        known = reply.getEpoch();
        foundHolder = reply.getHolder();
        if (known > 0 && !reply.getEndpoint().isEmpty() && !options.takeOver()) {
            state = State.PROBING;
            retryNs = NEVER;
            effects.setProbe(reply.getEndpoint());
            problem = Errors.rejected(Errors.OBJECT_IN_USE, reply.getHolder() + " at " + reply.getEndpoint()
                    + " is the writer (epoch " + reply.getEpoch() + ")", Errors.STOP_OR_TAKE_OVER);
            return;
        }
        raise(nowNs, effects);
    }

    private void raise(long nowNs, WriterEffects effects) {
        state = State.RAISING;
        retryNs = nowNs + pauseNs();
        asked = climb == 0 ? known + 1 : Math.min(climb, known + 1);
        send(EpochBody.newBuilder().setEpoch(asked).setHolder(options.name()).setEndpoint(options.endpoint())
                .setKeptFrom(numbered == null ? 0 : numbered.keptFrom()).build(), effects);
    }

    private void send(EpochBody body, WriterEffects effects) {
        if (aggregators.isEmpty()) {
            return; // The deadline comes back to it.
        }
        request = aggregators.toFirstFrom(asksFrom);
        asksFrom = request.peer();
        effects.sends().add(new WriterEffects.Send(request.peer(), Operation.newBuilder()
                .setHeader(OperationHeader.newBuilder().setSequence(request.sequence())
                        .setKind(OperationKind.OPERATION_KIND_EPOCH))
                .setBody(body.toByteString()).build()));
    }

    /**
     * Each epoch that is raised is written to the disk of every node. Where one cannot write it, or lacks updates that
     * nobody can send, the next epoch is of no use either until somebody sees to that node.
     */
    private long pauseNs() {
        return options.epochRetryNs() << (climb > 0 ? 0 : Math.min(vain, DOUBLINGS_MAX));
    }

    private void onRaised(EpochReply reply, long nowNs) {
        if (!reply.getGranted()) {
            vain += Errors.isOfDisk(reply.getError()) ? 1 : 0;
            boolean isOwn = reply.getHolder().equals(options.name())
                    && reply.getEndpoint().equals(options.endpoint());
            boolean isTakenOverFrom = options.takeOver() && reply.getHolder().equals(foundHolder);
            if (reply.getEpoch() > known && numbered != null && !isOwn) {
                refuse(Errors.takenOver(reply.getHolder(), reply.getEpoch()));
            } else if (reply.getEpoch() > known && !isOwn && !isTakenOverFrom) {
                refuse(Errors.rejected(Errors.OBJECT_IN_USE, reply.getHolder() + " at " + reply.getEndpoint()
                        + " became the writer meanwhile (epoch " + reply.getEpoch() + ")", Errors.STOP_OR_TAKE_OVER));
            } else if (numbered != null && reply.getError().getSqlstate().equals(Errors.NODE_BROKEN)) {
                refuse(Errors.fatal(Errors.CLUSTER_BROKEN, "a node refused epoch " + asked + ": "
                        + reply.getError().getMessage(), Errors.START_AFRESH));
            }
            climb(reply.getError());
            known = Math.max(known, reply.getEpoch()); // A grant that was lost on its way: ask for the next.
            return;
        }
        if (reply.getAcceptedCount() == 0) {
            lastRefusal = Errors.fatal(Errors.CLUSTER_BROKEN, "an aggregator granted epoch " + asked
                    + " in the name of no node", "see to that aggregator");
            known = asked; // Whatever it means, that epoch is taken.
            return;
        }
        if (numbered == null ? mayBegin(reply.getAcceptedList()) : maySendOn(reply.getAcceptedList())) {
            accepted = reply.getAcceptedList();
            state = State.GRANTED;
            vain = 0;
            retryNs = NEVER;
            pausesUntilNs = nowNs + options.epochRetryNs();
        }
    }

    private boolean mayBegin(List<NodeWatermark> nodes) {
        NodeWatermark first = nodes.get(0);
        for (NodeWatermark node : nodes) {
            if (!adopts && node.getApplied() > 0) {
                refuse(Errors.rejected(Errors.NOT_IN_STATE, "node " + node.getNode() + " has accepted updates up to "
                        + node.getApplied() + ", and the journal is new",
                        "give it the journal of this cluster; if that is lost for good, start with --adopt"));
                return false;
            }
            if (node.getApplied() != first.getApplied()) {
                refuse(Errors.fatal(Errors.CLUSTER_BROKEN, "node " + first.getNode() + " has accepted updates up to "
                        + first.getApplied() + ", node " + node.getNode() + " up to " + node.getApplied()
                        + ": updates that reached only some nodes cannot be completed without a journal",
                        Errors.START_AFRESH));
                return false;
            }
        }
        for (NodeWatermark node : nodes) {
            if (node.getDurable() < node.getApplied()) {
                lastRefusal = Errors.retry(Errors.NOT_IN_STATE, "node " + node.getNode()
                        + " has accepted updates up to " + node.getApplied() + ", and up to " + node.getDurable()
                        + " they are durable", "see to the disk of that node if it stays so");
                // It does not begin behind updates that a node may still lose: the next epoch is asked for.
                known = asked;
                return false;
            }
        }
        return true;
    }

    private boolean maySendOn(List<NodeWatermark> nodes) {
        for (NodeWatermark node : nodes) {
            if (node.getApplied() > numbered.last()) {
                refuse(Errors.fatal(Errors.CLUSTER_BROKEN, "node " + node.getNode() + " has accepted updates up to "
                        + node.getApplied() + ", the writer has numbered up to " + numbered.last()
                        + ": its journal is not the newest of this cluster", "give it the newest journal"));
                return false;
            }
        }
        for (NodeWatermark node : nodes) {
            if (node.getApplied() + 1 < numbered.keptFrom()) {
                lastRefusal = Errors.retry(Errors.NOT_IN_STATE, "node " + node.getNode()
                        + " has accepted updates up to " + node.getApplied()
                        + ", the writer can send them from " + numbered.keptFrom() + " on",
                        "put back a newer copy of that node's data directory");
                vain++;
                known = asked; // All hold it; the next one is asked for once the node may have been restored.
                return false;
            }
        }
        return true;
    }

    /**
     * A node that is further behind than it may rise at a time refuses the next epoch; what it may rise to, others
     * refuse. Asked for step after step, it catches up. None is asked for more than the next one or the next step.
     */
    private void climb(Error refusal) {
        boolean isBelow = asked <= known;
        if (isBelow) {
            climb += EPOCH_STEP;
        } else if (refusal.getSqlstate().equals(Errors.INVALID_PARAMETER_VALUE)) {
            climb = EPOCH_STEP;
        }
    }

    private void refuse(Error error) {
        state = State.REFUSED;
        problem = error;
        retryNs = NEVER;
    }
}
