package org.daedalus.client.internal.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The requests that are not in flight: each waits for an aggregator with room, for room at the writer, or for the time
 * at which it is sent again. Decides the order in which they leave. Not thread-safe.
 */
final class WaitingRequests {
    /** These leave in the order in which they came. */
    private final Set<Request> forAggregator = new LinkedHashSet<>();
    /** These leave oldest first, also the ones that come back; queries pass them by. */
    private final TreeSet<Request> forWriter = new TreeSet<>(Comparator.comparingLong(request -> request.id));
    private final TreeSet<Request> repeats = new TreeSet<>(Comparator
            .<Request>comparingLong(request -> request.repeatAtNs).thenComparingLong(request -> request.id));

    void addForAggregator(Request request) {
        forAggregator.add(request);
    }

    /** Adds an update, which waits until the writer has room. */
    void addForWriter(Request request) {
        forWriter.add(request);
    }

    void addUntil(long repeatAtNs, Request request) {
        request.repeatAtNs = repeatAtNs;
        repeats.add(request);
    }

    /** Removes the request, whatever it waits for; does nothing when it does not wait. */
    void remove(Request request) {
        forAggregator.remove(request);
        forWriter.remove(request);
        repeats.remove(request);
    }

    boolean hasForAggregator() {
        return !forAggregator.isEmpty();
    }

    boolean hasForWriter() {
        return !forWriter.isEmpty();
    }

    Request takeForAggregator() {
        Request first = forAggregator.iterator().next();
        forAggregator.remove(first);
        return first;
    }

    Request takeForWriter() {
        return forWriter.pollFirst();
    }

    /** Returns when the next request is to be sent again; Long.MAX_VALUE when none is. */
    long nextRepeatNs() {
        return repeats.isEmpty() ? Long.MAX_VALUE : repeats.first().repeatAtNs;
    }

    boolean hasRepeatBy(long nowNs) {
        return !repeats.isEmpty() && repeats.first().repeatAtNs <= nowNs;
    }

    Request takeRepeat() {
        return repeats.pollFirst();
    }

    /** Returns the requests that wait for room anywhere, as they are now. */
    List<Request> forRoom() {
        List<Request> all = new ArrayList<>(forAggregator);
        all.addAll(forWriter);
        return all;
    }
}
