package org.daedalus.client.internal.protocol;

/**
 * Bounds how many updates are under way at once: as many as the writer has room for, which it tells only by refusing.
 *
 * <p>It starts with what a writer keeps by default. A refusal halves what is under way, once for all that was sent
 * before the window became smaller; while updates wait for it, each answer makes it a little larger, by one in all once
 * as many as it holds have been answered. So an update that finds no room at the writer waits here, and is not sent
 * again and again.
 */
final class UpdateWindow {
    /** A writer keeps so many updates by default for nodes that are behind (docs/protocol.md, "Updates"). */
    static final int SIZE_AT_FIRST = 1_024;

    private final boolean isUsed;
    private double size = SIZE_AT_FIRST;
    private int underWay;
    private long lastSending;
    /** The last sending before the window became smaller: refusals of older ones tell nothing new. */
    private long shrunkAfter;

    /** Makes a window; one that is not used bounds nothing, for an application that wants to hear of refusals. */
    UpdateWindow(boolean isUsed) {
        this.isUsed = isUsed;
    }

    boolean hasRoom() {
        return underWay < Math.max(1, (int) size);
    }

    /** Says whether the request must wait for room; a repetition must not, to find out what became of the first. */
    boolean holdsBack(Request request) {
        return isUsed && request.content.mayWrite() && !request.mayHaveTakenEffect() && !hasRoom();
    }

    /** Counts the request, which is about to be sent, if it is an update. */
    void onSending(Request request) {
        if (isUsed && request.content.mayWrite()) {
            underWay++;
            request.updateSending = ++lastSending;
        }
    }

    /** Counts the request no more: it has ended, or its sending has. */
    void leave(Request request) {
        if (request.updateSending != 0) {
            request.updateSending = 0;
            underWay--;
        }
    }

    /** Makes room for more after the writer has confirmed the request, if others wait for room. */
    void onConfirmed(Request request, boolean doOthersWait) {
        if (request.updateSending != 0 && doOthersWait) {
            size += 1 / size;
        }
    }

    /** Makes the window smaller after the writer had no room for the request. */
    void onFull(Request request) {
        if (request.updateSending > shrunkAfter) {
            size = Math.max(1, underWay / 2);
            shrunkAfter = lastSending;
        }
    }
}
