package org.daedalus.load;

import java.util.PriorityQueue;

/** Time that goes by only where a test lets it: whatever was put off to a moment happens when that comes. */
final class TestClock implements Clock {
    private record Event(long atNs, long number, Runnable what) {}

    private final PriorityQueue<Event> events = new PriorityQueue<>(java.util.Comparator
            .comparingLong(Event::atNs).thenComparingLong(Event::number));
    private long nowNs;
    private long eventCount;

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public void waitUntil(long dueNs) {
        while (!events.isEmpty() && events.peek().atNs <= Math.max(dueNs, nowNs)) {
            Event next = events.poll();
            nowNs = Math.max(nowNs, next.atNs);
            next.what.run();
        }
        nowNs = Math.max(nowNs, dueNs);
    }

    /** The one who asks is busy for so long. */
    void spend(long ns) {
        waitUntil(nowNs + ns);
    }

    void at(long atNs, Runnable what) {
        events.add(new Event(atNs, eventCount++, what));
    }
}
