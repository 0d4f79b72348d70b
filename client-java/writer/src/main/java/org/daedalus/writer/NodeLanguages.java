package org.daedalus.writer;

import org.daedalus.wire.v1.EpochBody;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;

/**
 * Decides whether the programs of all nodes know what an update computes. Where one seems too old the nodes are asked
 * once more, one question at a time, for it may have been replaced.
 */
final class NodeLanguages {
    private final LiveAggregators aggregators;
    private final Watermarks watermarks;
    /** The question that is open; null: none is. */
    private KeptUpdate.Carrier asked;

    NodeLanguages(LiveAggregators aggregators, Watermarks watermarks) {
        this.aggregators = aggregators;
        this.watermarks = watermarks;
    }

    /** Returns null when every node has this version of the language; otherwise says which node has not. */
    Error check(Language language, int needed, WriterEffects effects) {
        Integer older = needed > 1 ? watermarks.olderThan(needed, language) : null;
        if (older == null) {
            return null;
        }
        ask(effects);
        return Errors.rejected(Errors.NOT_SUPPORTED, "storage node " + older + " is older than the writer: it does not "
                + "know all that the update computes", "replace it by the build of the writer, then try again");
    }

    private void ask(WriterEffects effects) {
        if (asked == null && !aggregators.isEmpty()) {
            asked = aggregators.toFirstFrom(0);
            effects.sends().add(new WriterEffects.Send(asked.peer(), Operation.newBuilder()
                    .setHeader(OperationHeader.newBuilder().setSequence(asked.sequence())
                            .setKind(OperationKind.OPERATION_KIND_EPOCH))
                    .setBody(EpochBody.newBuilder().setInquire(true).build().toByteString()).build()));
        }
    }

    /** Says whether the operation is the open question. */
    boolean isQuestion(KeptUpdate.Carrier carrier) {
        return carrier.equals(asked);
    }

    void onAnswered(Result result) {
        asked = null;
        result.getEpoch().getAcceptedList().forEach(watermarks::learnLanguage);
    }

    /** Forgets the question when its connection is gone: no answer will come. */
    void onDown(long peer) {
        asked = asked != null && asked.peer() == peer ? null : asked;
    }

    /** Forgets the question when it was not handed to its connection: no answer will come. */
    void onUnsent(KeptUpdate.Carrier carrier) {
        asked = isQuestion(carrier) ? null : asked;
    }
}
