package org.daedalus.client.internal.sending;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnQueueTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<Integer> taken = new ArrayList<>();
    private final List<Integer> refused = new ArrayList<>();

    @Test
    void shouldHandOverAllThatComesBeforeItsTurnInOneTask() {
        TurnQueue<Integer> queue = new TurnQueue<>(tasks::add, taken::add, refused::add);
        IntStream.range(0, 500).forEach(queue::add);
        assertThat(tasks).hasSize(1);
        assertThat(taken).isEmpty();
        tasks.remove().run();
        assertThat(taken).hasSize(500).isSorted();
        assertThat(tasks).isEmpty();
        queue.add(500);
        assertThat(tasks).as("the next turn").hasSize(1);
    }

    @Test
    void shouldLetOthersHaveTheirTurn() {
        TurnQueue<Integer> queue = new TurnQueue<>(tasks::add, taken::add, refused::add);
        IntStream.range(0, 2_500).forEach(queue::add);
        for (int turn = 1; !tasks.isEmpty(); turn++) {
            tasks.remove().run();
            assertThat(taken).hasSize(Math.min(turn * 1_024, 2_500)).isSorted();
        }
        assertThat(taken).hasSize(2_500);
    }

    @Test
    void shouldRefuseWhatNobodyWillTake() {
        TurnQueue<Integer> queue = new TurnQueue<>(task -> false, taken::add, refused::add);
        queue.add(1);
        queue.add(2);
        assertThat(refused).containsExactly(1, 2);
    }

    /** Each thing comes to exactly one end, in its thread's order, also around the moment at which turns end. */
    @Test
    void shouldLoseNothingWhenManyThreadsAddAndTheTurnsEnd() throws Exception {
        int threads = 4;
        int each = 20_000;
        List<Integer> all = Collections.synchronizedList(new ArrayList<>());
        ExecutorService loop = Executors.newSingleThreadExecutor();
        TurnQueue<Integer> queue = new TurnQueue<>(task -> {
            try {
                loop.execute(task);
                return true;
            } catch (RejectedExecutionException e) {
                return false;
            }
        }, taken::add, all::add);
        Thread[] adders = new Thread[threads];
        for (int number = 0; number < threads; number++) {
            int first = number * each;
            adders[number] = new Thread(() -> IntStream.range(first, first + each).forEach(queue::add));
            adders[number].start();
        }
        adders[0].join();
        loop.shutdown();
        for (Thread adder : adders) {
            adder.join();
        }
        assertThat(loop.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        for (int number = 0; number < threads; number++) {
            int first = number * each;
            assertThat(taken).filteredOn(thing -> thing >= first && thing < first + each).isSorted();
        }
        all.addAll(taken);
        assertThat(all).doesNotHaveDuplicates().hasSize(threads * each);
    }
}
