package org.daedalus.client.internal.sending;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Takes things from any thread to one that has turns: all that have come by its next turn are handed over in one task,
 * in the order in which each thread added its own, and whoever adds wakes that thread only when no task is waiting.
 *
 * @param <T> what is handed over
 */
final class TurnQueue<T> {
    /** Then others have their turn. */
    private static final int PER_TURN_MAX = 1_024;

    private final Queue<T> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final Predicate<Runnable> thread;
    private final Consumer<T> taker;
    private final Consumer<T> refusal;

    /**
     * Makes an empty queue.
     *
     * @param thread runs a task in a turn of its own; false: it never will again
     * @param taker gets things on that thread
     * @param refusal gets what that thread will never take, on any thread
     */
    TurnQueue(Predicate<Runnable> thread, Consumer<T> taker, Consumer<T> refusal) {
        this.thread = thread;
        this.taker = taker;
        this.refusal = refusal;
    }

    /** Any thread. */
    void add(T thing) {
        waiting.add(thing);
        schedule();
    }

    private void schedule() {
        if (isScheduled.compareAndSet(false, true) && !thread.test(this::takeAll)) {
            isScheduled.set(false); // Before looking: who adds from now on asks for himself.
            for (T left = waiting.poll(); left != null; left = waiting.poll()) {
                refusal.accept(left);
            }
        }
    }

    private void takeAll() {
        isScheduled.set(false);
        int taken = 0;
        for (T next = waiting.poll(); next != null; next = waiting.poll()) {
            taker.accept(next);
            if (++taken == PER_TURN_MAX) {
                schedule();
                return;
            }
        }
    }
}
