package org.daedalus.client;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.protocol.ReadTerms;
import org.daedalus.client.internal.protocol.Request;

/**
 * Something that can be asked once it has been put together: its options, and the two ways to ask. Not thread-safe;
 * asking does not change it, so it may be asked again, as a new request.
 *
 * @param <S> the class itself
 * @param <T> what it ends in
 */
public abstract class Executable<S extends Executable<S, T>, T extends Outcome> {
    final DaedalusClient client;
    private final Class<T> outcome;
    private Duration timeout;
    private ReadTerms reads = ReadTerms.NONE;
    private int priority;
    private String requestId = "";

    Executable(DaedalusClient client, Class<T> outcome) {
        this.client = client;
        this.outcome = outcome;
        this.timeout = client.requestTimeout();
    }

    /** Takes over the options of another one, for another kind of outcome. */
    Executable(Executable<?, ?> original, Class<T> outcome) {
        this.client = original.client;
        this.outcome = outcome;
        this.timeout = original.timeout;
        this.reads = original.reads;
        this.priority = original.priority;
        this.requestId = original.requestId;
    }

    /** Sets how long an answer is of use; the cluster drops the request when the time has passed. */
    public S timeout(Duration limit) {
        timeout = limit;
        return self();
    }

    /** The answer must include every update up to {@code timestamp}, as of {@link WriteOutcome#timestamp()}. */
    public S atLeast(long timestamp) {
        reads = new ReadTerms(timestamp, reads.at(), reads.freshnessNs());
        return self();
    }

    /**
     * Asks a query at an earlier moment: the answer is the table after exactly the updates 1 to {@code moment}, as
     * {@link ResultSet#moment} of another answer names it. A moment that the cluster does not remember any more is
     * refused (72000), two seconds after it was the newest or later; a {@link ReadView} holds one. Without this the
     * cluster takes the latest moment that it knows, and never one before what this client has seen.
     */
    public S at(long moment) {
        if (moment < 0) {
            throw new IllegalArgumentException("moment " + moment);
        }
        reads = new ReadTerms(reads.prefixMin(), moment, reads.freshnessNs());
        return self();
    }

    /** Asks a query at the moment that the view holds; as {@link #at(long)}. */
    public S at(ReadView view) {
        return at(view.moment());
    }

    /**
     * Bounds how old a query's moment may be: an aggregator that has not heard for longer how much is confirmed refuses
     * the query (RETRY 72000).
     */
    public S freshness(Duration oldest) {
        if (oldest.isNegative() || oldest.isZero()) {
            throw new IllegalArgumentException("freshness " + oldest);
        }
        reads = new ReadTerms(reads.prefixMin(), reads.at(), oldest.toNanos());
        return self();
    }

    /** Travels with the request. No cluster honours one yet: a query whose priority is not 0 is refused (0A000). */
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
        return ask(outcome);
    }

    <R extends Outcome> CompletableFuture<R> ask(Class<R> wanted) {
        Answer<R> answer = new Answer<>(client, wanted);
        long deadlineNs = client.connections().nowNs() + Math.max(0, timeout.toNanos());
        Request.Content known = contentIfKnown();
        if (known != null) {
            submit(known, answer, deadlineNs);
            return answer.future();
        }
        inTime(content()).whenComplete((content, failure) -> {
            if (failure != null) {
                answer.onFailure(asDaedalusException(failure));
            } else if (!answer.future().isDone()) {
                submit(content, answer, deadlineNs);
            }
        });
        return answer.future();
    }

    private void submit(Request.Content content, Answer<?> answer, long deadlineNs) {
        if (content.mayWrite() && reads.needsMoments()) {
            answer.onFailure(new DaedalusException(Category.REJECTED, "0A000",
                    "only a query is answered at a moment: an update takes neither at() nor freshness()"));
        } else {
            answer.submit(new Request(withOptions(content), answer, deadlineNs));
        }
    }

    /** Returns the rows of a query, asked for anew by every subscriber. */
    Flow.Publisher<Row> rows() {
        return new RowPublisher(client.connections().subscriberExecutor(), () -> ask(ResultSet.class));
    }

    /** Ends the wait for the table's description at the deadline of the request that needs it. */
    private CompletableFuture<Request.Content> inTime(CompletableFuture<Request.Content> content) {
        return content.isDone() ? content
                : content.copy().orTimeout(Math.max(0, timeout.toNanos()), TimeUnit.NANOSECONDS);
    }

    /**
     * Asks and waits; throws {@link DaedalusException}, {@link RefusedRowsException} where an update refused rows. Must
     * not be called from a callback of the client's futures.
     */
    public T execute() {
        return client.await(executeAsync());
    }

    /** Returns what to send if it is known without asking, otherwise null. */
    Request.Content contentIfKnown() {
        return null;
    }

    /** Returns what to send, once it is known. */
    abstract CompletableFuture<Request.Content> content();

    @SuppressWarnings("unchecked")
    private S self() {
        return (S) this;
    }

    private Request.Content withOptions(Request.Content content) {
        return new Request.Content(content.kind(), content.statement(), content.body(), content.submission(),
                content.routes(), content.mapVersion(), reads, priority, requestId, client.principal());
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
        if (cause instanceof TimeoutException) {
            return new DaedalusException(Category.RETRY, "57014", "the table was not described within the deadline");
        }
        if (cause instanceof CancellationException) {
            return new DaedalusException(Category.RETRY, "57014", "the request was cancelled");
        }
        DaedalusException wrapped = new DaedalusException(Category.FATAL, "XX000", String.valueOf(cause));
        wrapped.initCause(cause);
        return wrapped;
    }
}
