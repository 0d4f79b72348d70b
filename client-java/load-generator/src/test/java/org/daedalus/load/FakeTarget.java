package org.daedalus.load;

import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.workload.SqlStatement;

/** A cluster that answers one request after the other, in as long as the test says. */
final class FakeTarget implements Target {
    static final long NEVER = Long.MAX_VALUE;

    private final TestClock clock;
    private final long serviceNs;
    private final IntFunction<DaedalusException> failures;
    private long sendingNs;
    private long freeNs;
    private int sent;
    private int inFlight;
    private int inFlightMost;

    /**
     * Takes {@code serviceNs} for each request.
     *
     * @param failures what the n-th request, from 0, ends in; null where it is answered, with one row
     */
    FakeTarget(TestClock clock, long serviceNs, IntFunction<DaedalusException> failures) {
        this.clock = clock;
        this.serviceNs = serviceNs;
        this.failures = failures;
    }

    FakeTarget(TestClock clock, long serviceNs) {
        this(clock, serviceNs, number -> null);
    }

    static DaedalusException failure(Category category, String sqlState) {
        return new DaedalusException(category, sqlState, sqlState);
    }

    /** Nothing is answered before so long. */
    FakeTarget stalledUntil(long ns) {
        freeNs = ns;
        return this;
    }

    /** Sending one costs the sender so much time. */
    FakeTarget slowToSend(long ns) {
        sendingNs = ns;
        return this;
    }

    @Override
    public CompletableFuture<Long> send(SqlStatement statement) {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        DaedalusException failure = failures.apply(sent++);
        inFlightMost = Math.max(inFlightMost, ++inFlight);
        if (serviceNs != NEVER) {
            freeNs = Math.max(freeNs, clock.nowNs()) + serviceNs;
            clock.at(freeNs, () -> end(answer, failure));
        }
        clock.spend(sendingNs);
        return answer;
    }

    private void end(CompletableFuture<Long> answer, DaedalusException failure) {
        inFlight--;
        if (failure == null) {
            answer.complete(1L);
        } else {
            answer.completeExceptionally(failure);
        }
    }

    int sent() {
        return sent;
    }

    /** The most requests that were unanswered at a time. */
    int inFlightMost() {
        return inFlightMost;
    }
}
