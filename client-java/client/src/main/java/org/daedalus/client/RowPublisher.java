package org.daedalus.client;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/** Rows for whoever subscribes: every subscription asks for an answer of its own. */
final class RowPublisher implements Flow.Publisher<Row> {
    private final Executor executor;
    private final Supplier<CompletableFuture<ResultSet>> ask;

    /**
     * Makes a publisher that has asked nothing yet.
     *
     * @param executor calls the subscribers
     * @param ask called at each subscription; what it throws ends that subscription
     */
    RowPublisher(Executor executor, Supplier<CompletableFuture<ResultSet>> ask) {
        this.executor = executor;
        this.ask = ask;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super Row> subscriber) {
        new RowSubscription(Objects.requireNonNull(subscriber, "subscriber"), executor).start(ask);
    }
}
