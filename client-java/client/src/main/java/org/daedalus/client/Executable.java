package org.daedalus.client;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.daedalus.client.DaedalusException.Category;

/**
 * Something that can be asked once it has been put together: its options, and the two ways to ask. Not thread-safe;
 * asking does
 * not change it, so it may be asked again, as a new request.
 *
 * @param <S> the class itself
 * @param <T> what it ends in
 */
public abstract class Executable<S extends Executable<S, T>, T extends Outcome> {
    final DaedalusClient client;
    private final Class<T> outcome;
    private Duration timeout;
    private long prefixMin;
    private int priority;
    private String requestId = "";

    Executable(DaedalusClient client, Class<T> outcome) {
        this.client = client;
        this.outcome = outcome;
        this.timeout = client.requestTimeout();
    }

    /** How long an answer is of use; the cluster drops the request when the time has passed. */
    public S timeout(Duration limit) {
        timeout = limit;
        return self();
    }

    /** The answer must include every update up to {@code timestamp}, as of {@link WriteOutcome#timestamp()}. */
    public S atLeast(long timestamp) {
        prefixMin = timestamp;
        return self();
    }

    /** Higher goes first; 0 is the default. */
    public S priority(int value) {
        priority = value;
        return self();
    }

    /** Free text that names the request in logs. */
    public S requestId(String id) {
        requestId = DaedalusClient.checkedName("requestId", id);
        return self();
    }

    /**
     * Asks. A query's future completes when its first rows, or its end, have arrived. Cancelling the future aborts the
     * request. Callbacks run on the client's network thread and must not block.
     */
    public CompletableFuture<T> executeAsync() {
        Answer<T> answer = new Answer<>(client.connections(), outcome);
        long deadlineNs = client.connections().nowNs() + Math.max(0, timeout.toNanos());
        content().whenComplete((content, failure) -> {
            if (failure != null) {
                answer.onFailure(asDaedalusException(failure));
            } else if (!answer.future().isDone()) {
                answer.submit(new Request(withOptions(content), answer, deadlineNs));
            }
        });
        return answer.future();
    }

    /** Asks and waits; throws {@link DaedalusException}. Must not be called from a callback of the client's futures. */
    public T execute() {
        return client.await(executeAsync());
    }

    /** What to send, once it is known. */
    abstract CompletableFuture<Request.Content> content();

    @SuppressWarnings("unchecked")
    private S self() {
        return (S) this;
    }

    private Request.Content withOptions(Request.Content content) {
        return new Request.Content(content.kind(), content.body(), content.mayWrite(), content.routes(),
                content.mapVersion(), prefixMin, priority, requestId, client.principal());
    }

    static DaedalusException asDaedalusException(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null
                && (cause instanceof CompletionException || cause instanceof ExecutionException)) {
            cause = cause.getCause();
        }
        if (cause instanceof DaedalusException known) {
            return known;
        }
        if (cause instanceof IllegalArgumentException) {
            return new DaedalusException(Category.REJECTED, "22023", cause.getMessage());
        }
        if (cause instanceof CancellationException) {
            return new DaedalusException(Category.RETRY, "57014", "the request was cancelled");
        }
        DaedalusException wrapped = new DaedalusException(Category.FATAL, "XX000", String.valueOf(cause));
        wrapped.initCause(cause);
        return wrapped;
    }
}
