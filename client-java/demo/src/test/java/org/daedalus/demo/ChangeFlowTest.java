package org.daedalus.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.WriteOutcome;
import org.daedalus.load.Arrivals;
import org.daedalus.workload.Change;
import org.daedalus.workload.ChangeKind;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cluster is silent until the test lets it confirm a change. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ChangeFlowTest {
    private static final int IN_FLIGHT_MAX = 4;
    private static final Change CHANGE = new Change(ChangeKind.SEAT, LocalDateTime.of(2013, 2, 8, 6, 0), -1,
            new SqlStatement("UPDATE tickets SET seat = $1", List.of("1A")));

    private final BlockingQueue<CompletableFuture<WriteOutcome>> unanswered = new LinkedBlockingQueue<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger inFlightMost = new AtomicInteger();
    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicLong clockNs = new AtomicLong(TimeUnit.SECONDS.toNanos(1));
    private long timestamp;
    private ChangeFlow flow;

    @TempDir
    private Path directory;

    @BeforeEach
    void open() throws IOException {
        flow = new ChangeFlow(this::send, () -> CHANGE, new Arrivals(Arrivals.PER_SECOND_MAX, 1), IN_FLIGHT_MAX,
                this::now, directory.resolve("changes.tsv"));
    }

    /** The flow starts at 0 and finds all of its first million changes due. */
    private long now() {
        return started.getAndSet(true) ? clockNs.get() : 0;
    }

    private CompletableFuture<WriteOutcome> send(SqlStatement statement) {
        CompletableFuture<WriteOutcome> answer = new CompletableFuture<>();
        inFlightMost.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        unanswered.add(answer);
        return answer;
    }

    private void confirm(CompletableFuture<WriteOutcome> answer) {
        inFlight.decrementAndGet();
        answer.complete(new WriteOutcome(++timestamp, List.of(), false));
    }

    /** A confirmation is noted by whoever is later: the one who confirms, or the flow that begins to wait for it. */
    private void awaitChanges(long count) {
        while (flow.changes() < count) {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void close() throws Exception {
        Thread closing = new Thread(() -> {
            try {
                flow.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        closing.start();
        while (closing.isAlive()) {
            CompletableFuture<WriteOutcome> left = unanswered.poll(10, TimeUnit.MILLISECONDS);
            if (left != null) {
                confirm(left);
            }
        }
    }

    @Test
    void shouldWaitForConfirmationsWhereAsManyAsAllowedAreInFlight() throws Exception {
        flow.goOn();
        for (int change = 0; change < 1_000; change++) {
            confirm(unanswered.take());
        }
        awaitChanges(1_000);
        assertThat(inFlightMost.get()).isEqualTo(IN_FLIGHT_MAX);
        assertThat(flow.changes()).isEqualTo(1_000);
        assertThat(flow.failed()).isZero();
    }

    @Test
    void shouldCountTheWaitAsLatency() throws Exception {
        flow.goOn();
        for (int change = 0; change < IN_FLIGHT_MAX; change++) {
            confirm(unanswered.take());
        }
        awaitChanges(IN_FLIGHT_MAX);
        flow.latencies();
        List<CompletableFuture<WriteOutcome>> slow = new ArrayList<>();
        for (int change = 0; change < IN_FLIGHT_MAX; change++) {
            slow.add(unanswered.take());
        }
        clockNs.addAndGet(TimeUnit.SECONDS.toNanos(5));
        confirm(slow.remove(0));
        confirm(unanswered.take()); // It was due five seconds ago, and has just been sent.
        awaitChanges(IN_FLIGHT_MAX + 2);
        Histogram latencies = flow.latencies();
        slow.forEach(this::confirm);
        assertThat(latencies.getTotalCount()).isEqualTo(2);
        assertThat(latencies.getMinValue()).isGreaterThan(TimeUnit.SECONDS.toMicros(5));
    }

    @Test
    void shouldSendNothingWhileHeld() throws Exception {
        flow.goOn();
        CompletableFuture<Long> held = CompletableFuture.supplyAsync(flow::hold);
        while (!held.isDone()) {
            CompletableFuture<WriteOutcome> left = unanswered.poll(10, TimeUnit.MILLISECONDS);
            if (left != null) {
                confirm(left);
            }
        }
        assertThat(held.get()).isEqualTo(timestamp);
        assertThat(inFlight.get()).isZero();
        assertThat(unanswered).isEmpty();
        flow.goOn();
        confirm(unanswered.take());
    }

    @Test
    void shouldCountWhatFailedAndGoOn() throws Exception {
        flow.goOn();
        inFlight.decrementAndGet();
        unanswered.take().completeExceptionally(
                new DaedalusException(DaedalusException.Category.RETRY, "53200", "no room"));
        for (int change = 0; change < 2 * IN_FLIGHT_MAX; change++) {
            confirm(unanswered.take());
        }
        assertThat(flow.failed()).isEqualTo(1);
        assertThat(flow.lastFailure()).isEqualTo("no room");
        assertThat(Files.exists(directory.resolve("changes.tsv"))).isTrue();
    }
}
