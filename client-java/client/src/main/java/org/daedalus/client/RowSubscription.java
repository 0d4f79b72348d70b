package org.daedalus.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.daedalus.wire.ByteRange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscriber's stream of rows, by the rules of Reactive Streams 1.0.4: signals are serial, never more rows than
 * requested, and after the end, an error or a cancellation there is silence.
 *
 * <p>Rows stay packed in the answer's queue until they are requested. All signals but onSubscribe are sent by one task
 * on the executor, so that neither the network's thread nor the thread that requests is ever held up by the subscriber.
 */
final class RowSubscription implements Flow.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(RowSubscription.class);

    private final Executor executor;
    private final AtomicLong demand = new AtomicLong();
    /**
     * Events since the sending task last looked; it runs while this is not zero. Starts at one: nothing may be sent
     * before onSubscribe has returned.
     */
    private final AtomicInteger events = new AtomicInteger(1);
    private volatile Flow.Subscriber<? super Row> subscriber;
    private volatile CompletableFuture<ResultSet> answer;
    private volatile IllegalArgumentException illegalRequest;
    // The sending task alone uses these.
    private ResultSet rows;
    private RowReader reader;

    RowSubscription(Flow.Subscriber<? super Row> subscriber, Executor executor) {
        this.subscriber = subscriber;
        this.executor = executor;
    }

    /** Introduces itself to the subscriber, then asks. */
    void start(Supplier<CompletableFuture<ResultSet>> ask) {
        subscriber.onSubscribe(this);
        if (subscriber == null) {
            return; // Cancelled at once: there is nothing to ask for.
        }
        try {
            answer = ask.get();
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((result, failure) -> {
            if (result != null) {
                result.queue().onChange(this::onEvent);
            }
            onEvent();
        });
        if (subscriber == null) {
            release();
        }
        schedule();
    }

    @Override
    public void request(long rows) {
        if (rows <= 0) {
            illegalRequest = new IllegalArgumentException(
                    "request(" + rows + "): a subscriber must request at least one row (Reactive Streams, rule 3.9)");
        } else {
            demand.accumulateAndGet(rows, (had, more) -> had + more < 0 ? Long.MAX_VALUE : had + more);
        }
        onEvent();
    }

    @Override
    public void cancel() {
        subscriber = null;
        release();
    }

    private void onEvent() {
        if (events.getAndIncrement() == 0) {
            schedule();
        }
    }

    private void schedule() {
        try {
            executor.execute(this::send);
        } catch (RejectedExecutionException e) {
            LOG.error("the executor of subscribers takes no more tasks: a stream of rows is cancelled", e);
            cancel();
        }
    }

    private void send() {
        int seen = events.get();
        do {
            Flow.Subscriber<? super Row> target = subscriber;
            if (target != null) {
                try {
                    sendTo(target);
                } catch (RuntimeException e) {
                    // Rule 2.13: whoever throws from a signal has cancelled.
                    LOG.error("a subscriber threw: its stream of rows is cancelled", e);
                    cancel();
                }
            }
            seen = events.addAndGet(-seen);
        } while (seen != 0);
    }

    private void sendTo(Flow.Subscriber<? super Row> target) {
        while (subscriber != null) {
            Throwable failure = failure();
            if (failure != null) {
                cancel();
                target.onError(failure);
                return;
            }
            if (rows == null) {
                return;
            }
            if (!hasRow()) {
                // Should more arrive between these two looks, then an event follows.
                if (rows.queue().isDrained()) {
                    cancel();
                    target.onComplete();
                }
                return;
            }
            if (demand.get() == 0) {
                return;
            }
            Row row;
            try {
                row = reader.next();
            } catch (DaedalusException e) {
                cancel();
                target.onError(e);
                return;
            }
            demand.updateAndGet(had -> had == Long.MAX_VALUE ? had : had - 1);
            target.onNext(row);
        }
    }

    /** Returns the failure that the stream has to end with; null when there is none. */
    private Throwable failure() {
        if (illegalRequest != null) {
            return illegalRequest;
        }
        if (rows == null && answer.isCompletedExceptionally()) {
            Throwable cause = answer.handle((none, thrown) -> thrown).join();
            return cause instanceof IllegalStateException ? cause : Executable.asDaedalusException(cause);
        }
        if (rows == null && answer.isDone()) {
            rows = answer.join();
            reader = new RowReader(rows.resultColumns());
        }
        return rows == null ? null : rows.queue().failure();
    }

    private boolean hasRow() {
        while (!reader.hasNext()) {
            ByteRange batch = rows.queue().poll();
            if (batch == null) {
                return false;
            }
            reader.use(batch);
        }
        return true;
    }

    /** Aborts what is still on its way and frees what has arrived. Harmless after the end. */
    private void release() {
        CompletableFuture<ResultSet> asked = answer;
        if (asked != null && !asked.cancel(false) && !asked.isCompletedExceptionally()) {
            asked.join().close();
        }
    }
}
