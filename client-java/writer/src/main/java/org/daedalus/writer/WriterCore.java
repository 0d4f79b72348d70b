package org.daedalus.writer;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefused;
import org.daedalus.wire.v1.WriterStatus;

/**
 * The logical writer's protocol (docs/protocol.md, "Updates", "Epochs", "Submissions").
 *
 * <p>Joins five machines: {@link EpochRaise} until this process is the writer, {@link NumberedUpdates} from an update's
 * number to the last node that has it, {@link Marks} and {@link UntoldOutcomes} from its confirmation until somebody is
 * told of it, {@link KnownSubmissions} for what comes twice. Knows no sockets, threads, clocks, schemas or files:
 * events and {@code nowNs} go in, {@link WriterEffects} come out, and of what is to be made durable it is told by
 * {@link #onJournaled} when it is.
 */
final class WriterCore {
    /** The writer passes through these phases on its way to numbering updates. */
    enum Phase {
        IDLE, INQUIRING, PROBING, RAISING, ACTIVE, FAILED
    }

    private static final long NEVER = Long.MAX_VALUE;
    private static final long DESCRIBE_SEQUENCE = 1;

    private final WriterOptions options;
    private final LiveAggregators aggregators = new LiveAggregators();
    private final EpochRaise raise;
    private final NumberedUpdates updates;
    private final Watermarks watermarks = new Watermarks();
    private final NodeLanguages languages = new NodeLanguages(aggregators, watermarks);
    private final KnownSubmissions known;
    private final Marks marks = new Marks(aggregators);
    private final UntoldOutcomes untold;
    private final WriterReport report;
    private final RecoveredJournal journal;
    private Phase phase = Phase.IDLE;
    /** Nobody else has numbered since this epoch; 0: not known yet. */
    private long firstEpoch;
    /** The nodes had accepted updates up to here then. */
    private long base;
    private JournalState journalState = JournalState.NONE;
    private Error failure;
    /** The last aggregator that has another map refused with this; null: none has. */
    private Error mapRefusal;

    WriterCore(WriterOptions options) {
        this(options, RecoveredJournal.NONE);
    }

    WriterCore(WriterOptions options, RecoveredJournal journal) {
        this.options = options;
        this.journal = journal;
        this.raise = new EpochRaise(options, aggregators, journal);
        this.updates = new NumberedUpdates(options, aggregators);
        this.untold = new UntoldOutcomes(updates, marks, aggregators);
        this.known = new KnownSubmissions(options.submissionsKnownMax(), options.submissionBytesMax());
        this.report = new WriterReport(options, aggregators, raise, updates, watermarks, known);
        if (journal.isUsed()) {
            firstEpoch = journal.firstEpoch();
            base = journal.base();
            updates.restore(journal);
            known.restore(journal);
        }
    }

    Phase phase() {
        return phase;
    }

    /** Returns why the phase is FAILED. */
    Error failure() {
        return failure;
    }

    long epoch() {
        return updates.epoch();
    }

    /** Returns why the epoch has not been raised yet, as nodes and aggregators say it; null when nobody has refused. */
    Error epochRefusal() {
        return raise.lastRefusal();
    }

    long lastNumbered() {
        return updates.lastNumbered();
    }

    /** Every update up to here is confirmed: the writer's mark. */
    long confirmedThrough() {
        return updates.confirmedThrough();
    }

    /** Every update up to here has its number for ever. */
    long journaledThrough() {
        return updates.journaledThrough();
    }

    /** Returns what a submission that is sent now may say: no more than outlives this process, if that is enough. */
    long numberedAfter() {
        return Math.max(updates.journaledThrough(), known.youngerHalf(updates.lastNumbered()));
    }

    /** Every node has made durable, and this side knows the outcome of, what is below. */
    long keptFrom() {
        return updates.keptFrom();
    }

    KnownSubmissions known() {
        return known;
    }

    // ---- aggregators come and go ----

    /**
     * An aggregator is there.
     *
     * @param takesMarks says that its build knows marks
     */
    void onUp(long peer, boolean takesMarks, long nowNs, WriterEffects effects) {
        aggregators.add(peer, DESCRIBE_SEQUENCE + 1);
        if (takesMarks) {
            marks.onUp(peer);
        }
        effects.sends().add(new WriterEffects.Send(peer, Operation.newBuilder().setHeader(OperationHeader.newBuilder()
                .setSequence(DESCRIBE_SEQUENCE).setKind(OperationKind.OPERATION_KIND_DESCRIBE)).build()));
        if (phase == Phase.IDLE) {
            raise.start(nowNs, effects);
            phase = Phase.INQUIRING;
        } else if (phase == Phase.ACTIVE) {
            updates.sendUnsent(nowNs, effects);
        }
        effects.setDeadlineNs(nextDeadlineNs());
    }

    void onDown(long peer, long nowNs, WriterEffects effects) {
        aggregators.remove(peer);
        marks.onDown(peer);
        raise.onDown(peer, nowNs);
        languages.onDown(peer);
        if (phase == Phase.ACTIVE) {
            updates.onDown(peer, nowNs, effects);
        }
        effects.setDeadlineNs(nextDeadlineNs());
    }

    // ---- becoming the writer ----

    /** Tells whether somebody answers where {@link WriterEffects#probe} asked to look. */
    void onProbed(boolean answers, long nowNs, WriterEffects effects) {
        raise.onProbed(answers, nowNs, effects);
        followRaise(nowNs, effects);
        effects.setDeadlineNs(nextDeadlineNs());
    }

    private void followRaise(long nowNs, WriterEffects effects) {
        if (phase == Phase.ACTIVE || phase == Phase.FAILED) {
            return;
        }
        switch (raise.state()) {
            case IDLE -> phase = Phase.IDLE;
            case INQUIRING -> phase = Phase.INQUIRING;
            case PROBING -> phase = Phase.PROBING;
            case RAISING -> phase = Phase.RAISING;
            case GRANTED -> begin(nowNs, effects);
            default -> fail(raise.problem(), effects); // REFUSED
        }
    }

    private void begin(long nowNs, WriterEffects effects) {
        raise.accepted().forEach(watermarks::start);
        marks.begin(nowNs);
        phase = Phase.ACTIVE;
        long lowest = raise.accepted().stream().mapToLong(NodeWatermark::getApplied).min().orElseThrow();
        if (firstEpoch == 0) {
            firstEpoch = raise.epoch();
            base = lowest;
            updates.start(raise.epoch(), lowest, nowNs);
        } else {
            updates.resume(raise.epoch(), lowest, nowNs, effects);
            updates.forgetSettled(watermarks.lowest());
        }
        effects.setEpochRecord(new WriterEffects.EpochRecord(raise.epoch(), firstEpoch, base));
    }

    /**
     * Raises the epoch again. Updates under way wait: their numbers stay, and they are sent again under the next epoch.
     */
    private void raiseAgain(long nowNs, WriterEffects effects) {
        updates.pause();
        marks.stop();
        phase = Phase.RAISING;
        raise.again(new EpochRaise.Numbered(updates.keptFrom(), updates.lastNumbered()), nowNs, effects);
    }

    // ---- submissions ----

    /** Returns null when an update that needs this version of the language may be numbered, or has been. */
    Error checkLanguage(SubmissionKey key, Language language, int needed, WriterEffects effects) {
        return phase == Phase.ACTIVE && known.find(key) == null ? languages.check(language, needed, effects) : null;
    }

    /**
     * Takes an update that was checked against schema and map.
     *
     * @param body kept as it is: no part of anything larger
     * @return null, or why it has no number
     */
    WriterEffects.Refusal submit(Submission submission, ByteString body, List<Route> routes, long mapVersion,
            WriterEffects effects) {
        SubmissionKey key = submission.key();
        KnownSubmissions.Known found = known.find(key);
        if (found != null) {
            untold.repeat(key, found, phase == Phase.FAILED ? failure : null, effects);
            return null;
        }
        if (phase != Phase.ACTIVE) {
            return phase == Phase.FAILED ? SubmissionRefusals.failed(submission, failure)
                    : SubmissionRefusals.notYet(raise.lastRefusal());
        }
        if (!known.isNew(submission, firstEpoch, epoch(), lastNumbered())) {
            return SubmissionRefusals.unknown(submission, epoch(), known.forgottenThrough());
        }
        KeptUpdate update = new KeptUpdate(body, routes, mapVersion, key);
        WriterEffects.Refusal refusal = updates.hasRoomFor(update) && !untold.isFull()
                ? SubmissionRefusals.ofJournal(journalState, updates, watermarks)
                : SubmissionRefusals.noRoom(updates, watermarks);
        if (refusal == null) {
            known.add(key, updates.number(update, effects));
            effects.setDeadlineNs(nextDeadlineNs());
        }
        return refusal;
    }

    /** Every update up to {@code through} is in the journal, and survives this process: only now may they leave. */
    void onJournaled(long through, long nowNs, WriterEffects effects) {
        if (phase != Phase.FAILED) {
            updates.onJournaled(through, nowNs, effects); // While the epoch is being raised nothing is sent.
        }
        effects.setDeadlineNs(nextDeadlineNs());
    }

    /** Learns what the journal takes, and whether it takes anything at all. */
    void onJournalState(JournalState state) {
        journalState = state;
    }

    /** The journal takes nothing any more, and what was given to it may be lost with this process. */
    void onJournalLost(Error why, WriterEffects effects) {
        if (phase != Phase.FAILED) {
            fail(why, effects);
        }
        effects.setDeadlineNs(nextDeadlineNs());
    }

    WriterStatus.Builder status() {
        return report.status(phase, journalState, failure, mapRefusal);
    }

    // ---- time ----

    long nextDeadlineNs() {
        return switch (phase) {
            case FAILED -> NEVER;
            case ACTIVE -> Math.min(updates.nextDeadlineNs(), marks.nextDeadlineNs());
            default -> raise.nextDeadlineNs();
        };
    }

    void onDeadline(long nowNs, WriterEffects effects) {
        if (phase == Phase.ACTIVE) {
            updates.onDeadline(watermarks.lowest(), nowNs, effects);
        } else if (phase != Phase.FAILED) {
            raise.onDeadline(nowNs, effects);
        }
        effects.setDeadlineNs(nextDeadlineNs());
    }

    // ---- marks ----

    /** Sends the mark to whom it is due: the driver calls this once it has handed in all that had arrived. */
    void sendMarks(long nowNs, WriterEffects effects) {
        marks.send(updates.confirmedThrough(), nowNs, effects);
        effects.setDeadlineNs(nextDeadlineNs());
    }

    // ---- answers ----

    /** No answer will come: the operation was not handed to its connection. */
    void onUnsent(long peer, long sequence) {
        KeptUpdate.Carrier carrier = new KeptUpdate.Carrier(peer, sequence);
        languages.onUnsent(carrier);
        updates.onUnsent(carrier);
        marks.onAnswer(carrier, false); // It is repeated.
    }

    void onResult(long peer, Result result, long nowNs, WriterEffects effects) {
        takeAnswer(new KeptUpdate.Carrier(peer, result.getSequence()), result, nowNs, effects);
        untold.tell(effects);
        effects.setDeadlineNs(nextDeadlineNs());
    }

    private void takeAnswer(KeptUpdate.Carrier carrier, Result result, long nowNs, WriterEffects effects) {
        marks.learn(result);
        if (marks.onAnswer(carrier, !result.hasMarked())) {
            return; // Its watermarks were all there was to learn.
        }
        if (result.hasDescribed()) {
            onDescribed(result.getDescribed(), effects);
        } else if (languages.isQuestion(carrier)) {
            languages.onAnswered(result);
        } else if (raise.isRequest(carrier)) {
            raise.onResult(result, nowNs, effects);
            followRaise(nowNs, effects);
        } else if (phase == Phase.ACTIVE && updates.timestampOf(carrier) != null) {
            onUpdateAnswered(carrier, result, nowNs, effects);
        }
    }

    private void onDescribed(DescribeReply described, WriterEffects effects) {
        effects.setDescribed(described);
        Error refusal = journal.refusal(described.getDurability());
        if (refusal != null && phase != Phase.FAILED) {
            fail(refusal, effects);
        }
    }

    private void onUpdateAnswered(KeptUpdate.Carrier carrier, Result result, long nowNs, WriterEffects effects) {
        long timestamp = updates.timestampOf(carrier);
        updates.onAnswer(carrier);
        if (result.hasConfirmed()) {
            onConfirmed(timestamp, result.getConfirmed(), nowNs, effects);
        } else if (result.hasRefused()) {
            onRefused(carrier.peer(), result.getRefused(), nowNs, effects);
        }
    }

    private void onConfirmed(long timestamp, WriteConfirmed confirmed, long nowNs, WriterEffects effects) {
        if (watermarks.advance(confirmed)) {
            updates.onProgress(nowNs);
        }
        KeptUpdate update = updates.confirm(timestamp, nowNs);
        if (update != null) {
            effects.outcomeRecords().add(known.confirm(timestamp, update.submission, confirmed));
            untold.add(timestamp, update.submission, confirmed);
        }
        updates.forgetSettled(watermarks.lowest());
    }

    private void onRefused(long peer, WriteRefused refused, long nowNs, WriterEffects effects) {
        switch (refused.getReason()) {
            case WRITE_REFUSAL_GAP -> updates.onGap(refused, watermarks.of(refused.getNode()), nowNs, effects);
            case WRITE_REFUSAL_OVERLOADED -> updates.onOverloaded(refused.getRetryAfterNs(), nowNs);
            case WRITE_REFUSAL_UNREACHABLE -> {
                // Sent again when resendAfterNs have passed without progress.
            }
            case WRITE_REFUSAL_STALE_MAP -> passBy(peer, refused.getError(), nowNs, effects);
            case WRITE_REFUSAL_NEW_INCARNATION -> raiseAgain(nowNs, effects);
            case WRITE_REFUSAL_STALE_EPOCH -> onStaleEpoch(refused, nowNs, effects);
            default -> fail(Errors.broken(refused), effects);
        }
    }

    /** A node that has never heard of this epoch has lost its own: it gets the next one. */
    private void onStaleEpoch(WriteRefused refused, long nowNs, WriterEffects effects) {
        if (refused.getEpoch() <= epoch()) {
            raiseAgain(nowNs, effects);
        } else {
            fail(Errors.takenOver(refused.getHolder(), refused.getEpoch()), effects);
        }
    }

    /**
     * An aggregator with another map takes no update as long as it runs; it reads its map when it starts. What it
     * carries goes to the others at once; without any other, updates wait for one.
     */
    private void passBy(long peer, Error refusal, long nowNs, WriterEffects effects) {
        mapRefusal = refusal;
        aggregators.remove(peer);
        marks.onDown(peer);
        updates.onDown(peer, nowNs, effects);
    }

    private void fail(Error error, WriterEffects effects) {
        phase = Phase.FAILED;
        failure = error;
        marks.stop();
        untold.giveUp(failure, effects);
    }
}
