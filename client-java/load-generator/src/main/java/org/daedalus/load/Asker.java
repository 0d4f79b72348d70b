package org.daedalus.load;

import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.ResultSet;
import org.daedalus.workload.SqlStatement;

/** Sends queries and books what becomes of them. Thread-safe if the source of queries is. */
final class Asker {
    /** Told once a query has ended, on the client's thread. */
    interface Ended {
        void ended(boolean answered);
    }

    private final DaedalusClient client;
    private final Supplier<SqlStatement> source;
    private final Tally tally;
    private final AtomicInteger inFlight = new AtomicInteger();

    Asker(DaedalusClient client, Supplier<SqlStatement> source, Tally tally) {
        this.client = client;
        this.source = source;
        this.tally = tally;
    }

    int inFlight() {
        return inFlight.get();
    }

    /** Sends the next query; its latency counts from {@code intendedNs}. {@code after} runs once it has ended. */
    void ask(long intendedNs, Ended after) {
        SqlStatement query = source.get();
        inFlight.incrementAndGet();
        client.query(query.text(), query.parameterArray()).thenCompose(ResultSet::whole)
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        tally.answered(System.nanoTime() - intendedNs, answer.rowCount());
                        answer.close();
                    } else {
                        tally.failed(causeOf(failure));
                    }
                    after.ended(failure == null); // Its successor counts before it stops counting: none seems missing.
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
