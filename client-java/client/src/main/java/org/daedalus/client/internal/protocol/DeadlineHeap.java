package org.daedalus.client.internal.protocol;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Requests by deadline, those of one deadline by id: a binary heap in which each request knows its place
 * ({@link Request#heapPlace}), so that one that has ended leaves at once and nothing of it is kept. Not thread-safe.
 */
final class DeadlineHeap {
    private static final int CAPACITY_MIN = 64;
    private static final Comparator<Request> ORDER = Comparator
            .<Request>comparingLong(request -> request.deadlineNs).thenComparingLong(request -> request.id);

    private Request[] heap = new Request[CAPACITY_MIN];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns the one whose deadline comes first; there must be one. */
    Request first() {
        return heap[0];
    }

    /** Adds a request that is in no heap. */
    void add(Request request) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        moveUp(size++, request);
    }

    /** Removes the request; does nothing when it is not here. */
    void remove(Request request) {
        int place = request.heapPlace;
        if (place < 0) {
            return;
        }
        request.heapPlace = Request.NOT_IN_HEAP;
        Request last = heap[--size];
        heap[size] = null;
        if (last != request) {
            moveDown(place, last);
            if (heap[place] == last) {
                moveUp(place, last);
            }
        }
    }

    /** Returns all of them, the first deadline first. */
    List<Request> inOrder() {
        Request[] all = Arrays.copyOf(heap, size);
        Arrays.sort(all, ORDER);
        return List.of(all);
    }

    private static boolean isBefore(Request a, Request b) {
        return a.deadlineNs < b.deadlineNs || a.deadlineNs == b.deadlineNs && a.id < b.id;
    }

    private void moveUp(int from, Request request) {
        int place = from;
        for (int above = (place - 1) / 2; place > 0 && isBefore(request, heap[above]); above = (place - 1) / 2) {
            set(place, heap[above]);
            place = above;
        }
        set(place, request);
    }

    private void moveDown(int from, Request request) {
        int place = from;
        for (int below = 2 * place + 1; below < size; below = 2 * place + 1) {
            if (below + 1 < size && isBefore(heap[below + 1], heap[below])) {
                below++;
            }
            if (!isBefore(heap[below], request)) {
                break;
            }
            set(place, heap[below]);
            place = below;
        }
        set(place, request);
    }

    private void set(int place, Request request) {
        heap[place] = request;
        request.heapPlace = place;
    }
}
