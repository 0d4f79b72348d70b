package org.daedalus.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * The future of an answer, and what depends on it: whoever stops waiting for it can be told what that means.
 *
 * @param <T> what it completes with
 */
final class AnswerFuture<T> extends CompletableFuture<T> {
    private final BooleanSupplier mayTakeEffect;

    AnswerFuture(BooleanSupplier mayTakeEffect) {
        this.mayTakeEffect = mayTakeEffect;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new AnswerFuture<>(mayTakeEffect);
    }

    /** Whether {@code future} stands for an update that may take effect although nobody waits for it. */
    static boolean mayTakeEffect(CompletableFuture<?> future) {
        return future instanceof AnswerFuture<?> answer && answer.mayTakeEffect.getAsBoolean();
    }
}
