package org.daedalus.client;

import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.answers.BufferSpace;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.sending.Connections;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.Result;

/** Turns a request's results into the future the application holds. */
final class Answer<T extends Outcome> implements Request.Responder {
    /** An aggregator refuses an operation that was made for another partition map with this SQLSTATE. */
    private static final String STALE_DESCRIPTION = "55000";

    private final DaedalusClient client;
    private final Connections connections;
    private final Class<T> wanted;
    private final CompletableFuture<T> future = new AnswerFuture<>(this);
    private volatile Request request;
    private ResultSet rows;
    private boolean failed;

    Answer(DaedalusClient client, Class<T> wanted) {
        this.client = client;
        this.connections = client.connections();
        this.wanted = wanted;
    }

    CompletableFuture<T> future() {
        return future;
    }

    /** Says whether an update was sent, as far as any thread can know. */
    boolean mayTakeEffect() {
        Request sent = request;
        return sent != null && sent.mayWrite();
    }

    void submit(Request content) {
        request = content;
        connections.submit(content);
        if (future.isCancelled()) {
            onCancelled(); // Meanwhile: it may have found no request to abort.
        }
    }

    /** Nobody wants the answer any more. */
    void onCancelled() {
        if (request != null) {
            abort("the request was cancelled");
        }
    }

    @Override
    public void onResult(ArrivedResult arrived) {
        if (failed) {
            return; // The abort is on its way.
        }
        if (arrived.isRows()) {
            onRows(arrived);
            return;
        }
        if (arrived.end() != null) {
            onEnd(arrived.end());
            return;
        }
        Result result = arrived.message();
        if (result.hasConfirmed()) {
            onConfirmed(WriteOutcome.of(result.getConfirmed()));
        } else {
            fail(new DaedalusException(Category.FATAL, "08P01", "the answer is of kind " + result.getKindCase()));
        }
    }

    @Override
    public void onFailure(DaedalusException failure) {
        failed = true;
        if (failure.sqlState().equals(STALE_DESCRIPTION)) {
            client.questions().forgetDescription();
        }
        if (rows != null) {
            rows.onFailure(failure);
        }
        future.completeExceptionally(failure);
    }

    private void onRows(ArrivedResult batch) {
        if (rows == null) {
            rows = new ResultSet(request.columns(), connections, () -> abort("the query was aborted"));
        }
        BufferSpace.Room room = rows.onRows(batch);
        if (room == BufferSpace.Room.RESERVED) {
            complete(rows);
        } else {
            fail(readTooSlowly(room));
        }
    }

    /** Asking again helps only where other answers have the room. */
    private DaedalusException readTooSlowly(BufferSpace.Room room) {
        String bound = "bufferedBytesMax of the client, " + connections.buffers().bytesMax() + " bytes";
        return room == BufferSpace.Room.TAKEN_BY_OTHERS
                ? new DaedalusException(Category.RETRY, "53200", "answers that wait to be read have no more room in "
                        + bound + ": read them faster, or close what is not wanted")
                : new DaedalusException(Category.REJECTED, "54000", "rows of this answer wait to be read and have no "
                        + "more room in " + bound + ": read them faster, ask for fewer rows, or for all of them "
                        + "by a cursor of PostgreSQL's protocol or `daedalus export`");
    }

    private void onEnd(QueryEnd end) {
        if (rows == null) {
            fail(new DaedalusException(Category.FATAL, "08P01", "the answer ended without its columns"));
        } else {
            rows.onEnd(end);
            complete(rows);
        }
    }

    /** The request is over, and the update has taken effect: a refused row makes it no success, and no repetition. */
    private void onConfirmed(WriteOutcome outcome) {
        if (!outcome.refused().isEmpty()) {
            onFailure(new RefusedRowsException(outcome));
        } else {
            complete(outcome);
        }
    }

    private void complete(Outcome outcome) {
        if (wanted.isInstance(outcome)) {
            if (!future.complete(wanted.cast(outcome)) && future.isCancelled() && rows != null) {
                rows.close(); // Nobody holds it: its rows would stay for ever.
            }
        } else {
            fail(new DaedalusException(Category.REJECTED, "42601", outcome instanceof ResultSet
                    ? "the statement is a query, not an update"
                    : "the statement is an update, not a query: it has been applied"));
        }
    }

    private void fail(DaedalusException failure) {
        onFailure(failure);
        connections.abort(request, failure);
    }

    private void abort(String message) {
        connections.abort(request, new DaedalusException(Category.RETRY, "57014", message));
    }
}
