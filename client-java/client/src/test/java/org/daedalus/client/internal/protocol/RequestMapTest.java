package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.daedalus.wire.v1.OperationKind;
import org.junit.jupiter.api.Test;

/** The map of what is in flight and the heap of deadlines, each against a plain one. */
class RequestMapTest {
    private static Request request(long sequence, long deadlineNs) {
        Request request = new Request(
                Request.Content.of(OperationKind.OPERATION_KIND_STATUS, ByteString.EMPTY, null), null, deadlineNs);
        request.sequence = sequence;
        request.id = sequence;
        return request;
    }

    private static Random random() {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        return new Random(seed);
    }

    @Test
    void shouldKnowExactlyWhatIsInIt() {
        Random random = random();
        RequestMap map = new RequestMap();
        TreeMap<Long, Request> plain = new TreeMap<>();
        List<Long> keys = new ArrayList<>();
        long sequence = 0;
        for (int step = 0; step < 200_000; step++) {
            int wanted = step % 50_000 < 25_000 ? 3_000 : 10;
            if (plain.size() < random.nextInt(2 * wanted)) {
                sequence += 1 + random.nextInt(3);
                Request added = request(sequence, 0);
                map.put(added);
                plain.put(sequence, added);
                keys.add(sequence);
            } else if (!keys.isEmpty()) {
                int at = random.nextInt(keys.size());
                Request removed = plain.remove(keys.set(at, keys.get(keys.size() - 1)));
                keys.remove(keys.size() - 1);
                map.remove(removed);
                map.remove(removed);
                assertThat(map.get(removed.sequence)).isNull();
            }
            long asked = random.nextLong(sequence + 2);
            assertThat(map.get(asked)).isSameAs(plain.get(asked));
            assertThat(map.size()).isEqualTo(plain.size());
        }
        assertThat(map.inOrder()).containsExactlyElementsOf(plain.values());
        Request twin = request(keys.get(0), 0);
        map.remove(twin);
        assertThat(map.get(twin.sequence)).as("another one under its sequence stays").isNotNull();
    }

    @Test
    void shouldGiveDeadlinesInOrderWhateverEndsBefore() {
        Random random = random();
        DeadlineHeap heap = new DeadlineHeap();
        TreeSet<Request> plain = new TreeSet<>(Comparator.<Request>comparingLong(each -> each.deadlineNs)
                .thenComparingLong(each -> each.id));
        List<Request> known = new ArrayList<>();
        for (int step = 0; step < 100_000; step++) {
            if (plain.size() < random.nextInt(400)) {
                Request added = request(step, random.nextInt(100));
                heap.add(added);
                plain.add(added);
                known.add(added);
            } else if (!known.isEmpty()) {
                Request removed = random.nextInt(3) == 0 ? heap.first() : known.get(random.nextInt(known.size()));
                heap.remove(removed);
                heap.remove(removed);
                plain.remove(removed);
                known.remove(removed);
            }
            assertThat(heap.isEmpty()).isEqualTo(plain.isEmpty());
            if (!plain.isEmpty()) {
                assertThat(heap.first()).isSameAs(plain.first());
            }
        }
        assertThat(heap.inOrder()).containsExactlyElementsOf(plain);
    }
}
