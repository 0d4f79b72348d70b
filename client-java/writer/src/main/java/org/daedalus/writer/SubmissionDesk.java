package org.daedalus.writer;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;

/**
 * Takes submissions: checks all that can be checked before an update gets a number, hands it to the core, and knows who
 * waits for which outcome. Every submission is answered once, by {@link WriterEffects#answers}.
 *
 * <p>Pure, as the core is. What the driver calls a waiter is a number of its own choice, used once.
 */
final class SubmissionDesk {
    /** Most submissions that wait for an outcome. */
    static final int WAITERS_MAX = 65_536;

    private final WriterOptions options;
    private final WriterCore core;
    private final int waitersMax;
    private final FunctionTable functions;
    private final Map<SubmissionKey, List<Long>> waiters = new HashMap<>();
    private int waiterCount;
    private UpdateChecker checker;

    SubmissionDesk(WriterOptions options, WriterCore core, int waitersMax) {
        this(options, core, waitersMax, FunctionTable.get());
    }

    SubmissionDesk(WriterOptions options, WriterCore core, int waitersMax, FunctionTable functions) {
        this.options = options;
        this.core = core;
        this.waitersMax = waitersMax;
        this.functions = functions;
    }

    /** Says whether schema and map are known, without which nothing can be checked. */
    boolean isDescribed() {
        return checker != null;
    }

    /** Submissions that wait for an outcome. */
    int waiterCount() {
        return waiterCount;
    }

    /**
     * Takes an aggregator's description of the table; one that makes no sense changes nothing. Nor does one that has an
     * older map than another: its aggregator was left behind, and none of the others would take what is routed by its
     * map.
     */
    void onDescribed(DescribeReply reply) throws WireException {
        if (checker == null || reply.getMap().getVersion() >= knownMapVersion()) {
            checker = new UpdateChecker(DescribedTable.of(reply), functions);
        }
    }

    /** Takes a peer's operation of any kind; {@code waiter} gets the answer. */
    void onOperation(long waiter, Operation operation, WriterEffects effects) {
        OperationKind kind = operation.getHeader().getKind();
        if (kind != OperationKind.OPERATION_KIND_SUBMIT) {
            refuse(waiter, Errors.rejected(Errors.NOT_SUPPORTED, "the writer takes submissions and answers for its "
                    + "status, but not " + kind, "ask an aggregator"), effects);
            return;
        }
        try {
            SubmitBody body = SubmitBody.parseFrom(operation.getBody());
            take(waiter, body.getSubmission(), body.getUpdate(), body.getRoutesList(),
                    operation.getHeader().getMapVersion(), effects);
        } catch (InvalidProtocolBufferException e) {
            refuse(waiter, Errors.rejected(Errors.PROTOCOL_VIOLATION, "the submission does not parse", ""), effects);
        }
    }

    /**
     * Takes an update of this very process. One that is new cannot have had an effect before now, whatever its id
     * says.
     */
    void submit(long waiter, SubmissionId id, UpdateBody update, List<Route> routes, WriterEffects effects) {
        SubmissionId stamped = id.getRepeated()
                ? id : id.toBuilder().setEpoch(core.epoch()).setNumberedAfter(core.lastNumbered()).build();
        take(waiter, stamped, update, routes, 0, effects);
    }

    /**
     * Takes rows of this very process that were packed for {@code table}. Packed bytes have no names and types: another
     * schema would read them as something else.
     */
    void submitBatch(long waiter, SubmissionId id, SubmitBody batch, DescribeReply table, WriterEffects effects) {
        if (checker != null && !isOfTable(table)) {
            refuse(waiter, Errors.rejected(Errors.NOT_IN_STATE, "the batch was packed for another cluster, schema or "
                    + "partition map than this writer's", "describe() again and make a new batch"), effects);
            return;
        }
        submit(waiter, id, batch.getUpdate(), batch.getRoutesList(), effects);
    }

    private boolean isOfTable(DescribeReply table) {
        DescribeReply known = checker.description();
        return table.getClusterId().equals(known.getClusterId())
                && table.getSchemaFingerprint().equals(known.getSchemaFingerprint())
                && table.getMap().getVersion() == known.getMap().getVersion();
    }

    private void take(long waiter, SubmissionId id, UpdateBody update, List<Route> routes, long mapVersion,
            WriterEffects effects) {
        Submission submission = Submission.of(id);
        if (submission == null) {
            refuse(waiter, Errors.rejected(Errors.PROTOCOL_VIOLATION, "a submission needs an id of 16 bytes and a "
                    + "number", ""), effects);
            return;
        }
        ByteString body = update.toByteString();
        Error wrong = check(update, body, routes, mapVersion);
        if (wrong != null) {
            refuse(waiter, wrong, effects);
            return;
        }
        Error tooNew = core.checkLanguage(submission.key(), functions.language(), checker.languageNeeded(), effects);
        if (tooNew != null) {
            refuse(waiter, tooNew, effects);
            return;
        }
        WriterEffects.Refusal refusal = core.submit(submission, body, routes, knownMapVersion(), effects);
        if (refusal == null) {
            waiters.computeIfAbsent(submission.key(), key -> new ArrayList<>()).add(waiter);
            waiterCount++;
        } else if (refusal.isStale()) {
            answer(waiter, stale(refusal), effects);
        } else {
            refuse(waiter, refusal.error(), effects);
        }
    }

    private Error check(UpdateBody update, ByteString body, List<Route> routes, long mapVersion) {
        if (checker == null) {
            return Errors.retry(Errors.CANNOT_CONNECT_NOW, "the writer has not reached an aggregator yet", "try again");
        }
        if (waiterCount >= waitersMax) {
            return Errors.retry(Errors.LIMIT_EXCEEDED, waitersMax + " submissions wait already", "try again later");
        }
        if (mapVersion != 0 && mapVersion != knownMapVersion()) {
            return Errors.retry(Errors.NOT_IN_STATE, "the submission was routed by map version " + mapVersion
                    + ", the writer has " + knownMapVersion(), "ask for the map again");
        }
        Error wrong = checker.checkRoutes(routes);
        return wrong != null ? wrong : checker.check(update, body);
    }

    private long knownMapVersion() {
        return checker.description().getMap().getVersion();
    }

    /** Turns the outcomes of a step of the core into answers to those who wait for them. */
    void settle(WriterEffects effects) {
        for (WriterEffects.SubmissionOutcome outcome : effects.outcomes()) {
            List<Long> waiting = waiters.remove(outcome.submission());
            if (waiting != null) {
                waiterCount -= waiting.size();
                Result.Builder result = outcome.error() == null
                        ? Result.newBuilder().setConfirmed(outcome.confirmed())
                        : Result.newBuilder().setError(outcome.error());
                waiting.forEach(waiter -> answer(waiter, result, effects));
            }
        }
    }

    private void refuse(long waiter, Error error, WriterEffects effects) {
        answer(waiter, Result.newBuilder().setError(error), effects);
    }

    /** Every answer says how much is confirmed: whoever passes it on learns that, too. */
    private void answer(long waiter, Result.Builder result, WriterEffects effects) {
        effects.answers().add(new WriterEffects.Answer(waiter, result.setMark(core.confirmedThrough()).build()));
    }

    private Result.Builder stale(WriterEffects.Refusal refusal) {
        return Result.newBuilder().setRefused(WriteRefused.newBuilder()
                .setReason(WriteRefusal.WRITE_REFUSAL_STALE_SUBMISSION)
                .setEpoch(core.epoch()).setTimestamp(core.numberedAfter()).setHolder(options.name())
                .setError(refusal.error()));
    }
}
