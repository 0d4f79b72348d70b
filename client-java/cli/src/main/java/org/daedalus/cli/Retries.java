package org.daedalus.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;

/** Waits for answers, and asks again while the cluster says that it is only busy, up to a minute. */
public final class Retries {
    private static final long PAUSE_MIN_NS = 20_000_000L;
    private static final long TOTAL_MAX_NS = Duration.ofSeconds(60).toNanos();

    /** Tells the time, and lets it pass. */
    interface Time {
        Time SYSTEM = new Time() {
            @Override
            public long nowNs() {
                return System.nanoTime();
            }

            @Override
            public void pause(long ns) {
                try {
                    TimeUnit.NANOSECONDS.sleep(ns);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };

        long nowNs();

        /** Returns after so long, or sooner when the thread is interrupted. */
        void pause(long ns);
    }

    private Retries() {}

    /** Waits for what {@code request} asks for. */
    public static <T> T await(DaedalusClient client, Supplier<CompletableFuture<T>> request) {
        return await(client, request.get(), request);
    }

    /** Waits for {@code first}; {@code again} makes the same request once more. */
    public static <T> T await(DaedalusClient client, CompletableFuture<T> first,
            Supplier<CompletableFuture<T>> again) {
        return await(client, first, again, Time.SYSTEM);
    }

    static <T> T await(DaedalusClient client, CompletableFuture<T> first, Supplier<CompletableFuture<T>> again,
            Time time) {
        long endNs = time.nowNs() + TOTAL_MAX_NS;
        CompletableFuture<T> answer = first;
        while (true) {
            try {
                return client.await(answer);
            } catch (DaedalusException e) {
                boolean unreachable = e.sqlState().equals("08001");
                if (e.category() != Category.RETRY || unreachable || time.nowNs() > endNs) {
                    throw e;
                }
                time.pause(Math.max(PAUSE_MIN_NS, e.retryAfter().toNanos()));
                answer = again.get();
            }
        }
    }
}
