package org.daedalus.client;

import java.util.concurrent.CompletableFuture;

/**
 * The future of an answer, and what depends on it: whoever stops waiting for it can be told what that means.
 *
 * @param <T> what it completes with
 */
final class AnswerFuture<T> extends CompletableFuture<T> {
    private final Answer<?> answer;
    /** Tells the future that the answer itself completes from those that were made of it. */
    private final boolean isFirst;

    AnswerFuture(Answer<?> answer) {
        this(answer, true);
    }

    private AnswerFuture(Answer<?> answer, boolean isFirst) {
        this.answer = answer;
        this.isFirst = isFirst;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new AnswerFuture<>(answer, false);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean wasDone = isDone();
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        if (isFirst && isCancelled && !wasDone) {
            answer.onCancelled();
        }
        return isCancelled;
    }

    /** Says whether {@code future} stands for an update that may take effect although nobody waits for it. */
    static boolean mayTakeEffect(CompletableFuture<?> future) {
        return future instanceof AnswerFuture<?> known && known.answer.mayTakeEffect();
    }
}
