package org.daedalus.load;

import java.util.concurrent.locks.LockSupport;

/** Time as the generator sees it: real, or a test's. */
interface Clock {
    Clock SYSTEM = new Clock() {
        @Override
        public long nowNs() {
            return System.nanoTime();
        }

        @Override
        public void waitUntil(long dueNs) {
            for (long leftNs = dueNs - nowNs(); leftNs > 0; leftNs = dueNs - nowNs()) {
                LockSupport.parkNanos(leftNs);
            }
        }
    };

    long nowNs();

    /** Returns at {@code dueNs} or, which a generator must reckon with, later. */
    void waitUntil(long dueNs);
}
