package org.daedalus.client.internal.protocol;

import org.daedalus.client.internal.answers.ColumnsCache;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.WireException;

/** Finds the columns of an answer, in the answer itself or in an earlier one to the same definition. */
final class AnswerColumns {
    private final ColumnsCache cache = new ColumnsCache();

    /** Returns the columns of the answer whose first rows are {@code first}; throws when nothing has told them. */
    ResultColumns of(LivePeers.Peer peer, Request request, ArrivedResult first) throws WireException {
        long shape = first.shapeSequence();
        if (shape != 0 && (request.definition == null || request.definition.sequence != shape)) {
            throw new WireException("the answer is of shape " + shape + ", which its statement is not");
        }
        if (shape == 0) {
            return cache.of(first.columns());
        }
        learn(peer, first);
        if (request.definition.columns() == null) {
            throw new WireException("the answer has no columns, and no answer of its shape had before");
        }
        return request.definition.columns();
    }

    /**
     * Keeps the columns that the rows bring, if they bring any.
     *
     * @param peer null when it is gone
     */
    void learn(LivePeers.Peer peer, ArrivedResult rows) throws WireException {
        if (peer != null && rows.shapeSequence() != 0 && rows.columns().length > 0) {
            peer.handles.learn(rows.shapeSequence(), cache.of(rows.columns()));
        }
    }
}
