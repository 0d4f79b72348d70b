package org.daedalus.peer;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Counts what ends while it is measured, from any thread; what ends before or after does not count. */
final class Window {
    private final long beginNs;
    private final long endNs;
    private final LongAdder answered = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final AtomicReference<String> lastError = new AtomicReference<>();

    Window(long beginNs, long endNs) {
        this.beginNs = beginNs;
        this.endNs = endNs;
    }

    boolean isOver(long nowNs) {
        return nowNs >= endNs;
    }

    void answered(long nowNs, long rowCount) {
        if (nowNs >= beginNs && nowNs < endNs) {
            answered.increment();
            rows.add(rowCount);
        }
    }

    /** An error counts whenever it happens: it voids the measurement. */
    void failed(Exception error) {
        errors.increment();
        lastError.set(String.valueOf(error));
    }

    long answered() {
        return answered.sum();
    }

    long rows() {
        return rows.sum();
    }

    long errors() {
        return errors.sum();
    }

    /** Null if there was none. */
    String lastError() {
        return lastError.get();
    }

    double perSecond() {
        return answered() / ((endNs - beginNs) / 1e9);
    }
}
