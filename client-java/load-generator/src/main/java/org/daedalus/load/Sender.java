package org.daedalus.load;

import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.workload.SqlStatement;

/** Sends requests of one kind and books what becomes of them. Thread-safe if the source of requests is. */
final class Sender {
    private final Target target;
    private final Supplier<SqlStatement> source;
    private final Clock clock;
    private final AtomicInteger inFlight = new AtomicInteger();

    Sender(Target target, Supplier<SqlStatement> source, Clock clock) {
        this.target = target;
        this.source = source;
        this.clock = clock;
    }

    int inFlight() {
        return inFlight.get();
    }

    /**
     * Sends the next request, to be booked in {@code tally}; its latency counts from {@code dueNs}. {@code after} runs
     * once it has ended, on whatever thread that happens.
     */
    void send(long dueNs, Tally tally, Consumer<Ending> after) {
        send(dueNs, nowNs -> tally, after);
    }

    /** Sends a request that is booked in the tally of the time at which it ends. */
    void send(long dueNs, LongFunction<Tally> tallyAt, Consumer<Ending> after) {
        SqlStatement statement = source.get();
        inFlight.incrementAndGet();
        target.send(statement).whenComplete((rows, failure) -> {
            Ending ending = Ending.ANSWERED;
            long nowNs = clock.nowNs();
            Tally tally = tallyAt.apply(nowNs);
            if (failure == null) {
                tally.answered(nowNs - dueNs, rows);
            } else {
                ending = tally.failed(causeOf(failure));
            }
            after.accept(ending); // Its successor counts before it stops counting: none seems missing.
            inFlight.decrementAndGet();
        });
    }

    private static DaedalusException causeOf(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause() : failure;
        return cause instanceof DaedalusException known ? known
                : new DaedalusException(Category.FATAL, "XX000", String.valueOf(cause));
    }
}
