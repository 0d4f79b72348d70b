package org.daedalus.client.internal.protocol;

/**
 * How many updates may be under way at once: as many as the writer has room for, which nobody tells but by refusing.
 *
 * <p>Starts with what a writer keeps by default. A refusal halves what is under way, once for all that was sent before
 * the window became smaller; while updates wait for it, each answer makes it a little larger, by one in all once as
 * many as it holds have been answered. So what a writer has no room for waits here, and is not sent again and again.
 */
final class UpdateWindow {
    /** What a writer keeps by default for nodes that are behind (docs/protocol.md, "Updates"). */
    static final int SIZE_AT_FIRST = 1_024;

    private double size = SIZE_AT_FIRST;
    private int underWay;
    private long lastSending;
    /** The last sending before the window became smaller: refusals of older ones are old news. */
    private long shrunkAfter;

    boolean hasRoom() {
        return underWay < Math.max(1, (int) size);
    }

    /** One is about to be sent; returns the number of this sending. */
    long send() {
        underWay++;
        return ++lastSending;
    }

    /** One that was sent has ended, or its sending has. */
    void leave() {
        underWay--;
    }

    /** One was confirmed; {@code othersWait} for room. */
    void grow(boolean othersWait) {
        if (othersWait) {
            size += 1 / size;
        }
    }

    /** There was no room for {@code sending}. */
    void shrink(long sending) {
        if (sending > shrunkAfter) {
            size = Math.max(1, underWay / 2);
            shrunkAfter = lastSending;
        }
    }
}
