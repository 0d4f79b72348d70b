package org.daedalus.client.internal.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The requests in flight at one peer by their sequences, which must not change meanwhile. Open addressing without
 * objects of its own; removal moves what stands behind, so that nothing of what is gone remains. Not thread-safe.
 */
final class RequestMap {
    private static final int CAPACITY_MIN = 64;
    /** 2^64 divided by the golden ratio: sequences, which follow each other, are scattered. */
    private static final long SCATTER = 0x9e37_79b9_7f4a_7c15L;

    private Request[] places = new Request[CAPACITY_MIN];
    private int size;

    int size() {
        return size;
    }

    /** Adds a request whose sequence is not here. */
    void put(Request request) {
        if (2 * (size + 1) > places.length) {
            grow();
        }
        places[freePlace(request.sequence)] = request;
        size++;
    }

    /** Returns the request with this sequence; null: it is not here. */
    Request get(long sequence) {
        int place = home(sequence);
        while (places[place] != null && places[place].sequence != sequence) {
            place = next(place);
        }
        return places[place];
    }

    /** Removes the request; nothing happens when another one, or none, has its sequence here. */
    void remove(Request request) {
        int gap = home(request.sequence);
        while (places[gap] != request) {
            if (places[gap] == null) {
                return;
            }
            gap = next(gap);
        }
        size--;
        for (int place = next(gap); places[place] != null; place = next(place)) {
            int mask = places.length - 1;
            // Whoever would be found from the gap on, too, moves there.
            if ((place - home(places[place].sequence) & mask) >= (place - gap & mask)) {
                places[gap] = places[place];
                gap = place;
            }
        }
        places[gap] = null;
    }

    /** Returns all of them, in the order of their sequences. */
    List<Request> inOrder() {
        List<Request> all = new ArrayList<>(size);
        for (Request request : places) {
            if (request != null) {
                all.add(request);
            }
        }
        all.sort(Comparator.comparingLong(request -> request.sequence));
        return all;
    }

    private void grow() {
        Request[] old = places;
        places = new Request[2 * old.length];
        for (Request request : old) {
            if (request != null) {
                places[freePlace(request.sequence)] = request;
            }
        }
    }

    private int freePlace(long sequence) {
        int place = home(sequence);
        while (places[place] != null) {
            place = next(place);
        }
        return place;
    }

    private int home(long sequence) {
        return (int) (sequence * SCATTER >>> 1 + Long.numberOfLeadingZeros(places.length));
    }

    private int next(int place) {
        return place + 1 & places.length - 1;
    }
}
