package org.daedalus.client.internal.protocol;

import java.util.Map;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;

/** The failures that {@link ClientCore} itself decides on: category, SQLSTATE and words of each. */
final class ClientErrors {
    /** Says why an endpoint cannot be used, and whether the peer there is not one of this client's cluster. */
    record DialFailure(String reason, boolean isForeign) {}

    private ClientErrors() {}

    /** Something has no room for now: nothing happened. */
    static boolean isFull(DaedalusException failure) {
        return failure.category() == Category.RETRY && failure.sqlState().startsWith("53");
    }

    /** No aggregator can be reached: FATAL when all that answer are of another cluster, otherwise it may come back. */
    static DaedalusException unreachable(Map<String, DialFailure> failures) {
        StringBuilder reasons = new StringBuilder();
        failures.forEach((endpoint, failure) ->
                reasons.append(reasons.isEmpty() ? "" : "; ").append(endpoint).append(": ").append(failure.reason));
        return failures.values().stream().allMatch(DialFailure::isForeign)
                ? new DaedalusException(Category.FATAL, "08004",
                        "no endpoint is an aggregator of this client's cluster: " + reasons)
                : new DaedalusException(Category.RETRY, "08001", "no aggregator is reachable: " + reasons);
    }

    static DaedalusException lostInTheMiddle(String endpoint, String reason) {
        return new DaedalusException(Category.RETRY, "08006",
                "the connection to " + endpoint + " was lost in the middle of the answer: " + reason);
    }

    /** Says why it was repeated, if it was: that is what has to change before it is answered. */
    static DaedalusException expired(Request request) {
        String reason = request.lastRefusal == null ? ""
                : "; before, it was refused with " + request.lastRefusal.sqlState() + ": "
                        + request.lastRefusal.getMessage();
        return request.mayHaveTakenEffect()
                ? new DaedalusException(Category.UNKNOWN, "57014",
                        "no answer within the deadline: it may take effect" + reason)
                : new DaedalusException(Category.RETRY, "57014", "no answer within the deadline" + reason);
    }

    /** Turns the failure of an update of which an earlier sending has no answer: it says nothing about that one. */
    static DaedalusException afterALoss(DaedalusException failure) {
        if (failure.category() == Category.UNKNOWN) {
            return failure;
        }
        DaedalusException unknown = new DaedalusException(Category.UNKNOWN, "08007",
                "the update was sent on a connection that was lost, and may have taken effect; sent again, it failed: "
                        + failure.getMessage());
        unknown.initCause(failure);
        return unknown;
    }

    /** Returns what the failure of its last sending means for the request. */
    static DaedalusException ofAll(Request request, DaedalusException failure) {
        // A mistake that the cluster finds in the update itself was found in every sending.
        boolean isAboutOneSending = request.wasLost() && failure.category() != Category.REJECTED;
        return isAboutOneSending ? afterALoss(failure) : failure;
    }

    static DaedalusException closed(Request request) {
        return request.mayHaveTakenEffect()
                ? new DaedalusException(Category.UNKNOWN, "08006", "the client was closed before the answer came")
                : new DaedalusException(Category.FATAL, "08003", "the client was closed");
    }

    /**
     * Turns a failure of a request that the application no longer waits for: an update may take effect all the same.
     */
    static DaedalusException abandoned(Request request, DaedalusException failure) {
        return request.mayHaveTakenEffect() && failure.category() == Category.RETRY
                ? new DaedalusException(Category.UNKNOWN, failure.sqlState(),
                        failure.getMessage() + "; the update may take effect")
                : failure;
    }

    static DaedalusException sendRefused(boolean tooLarge) {
        return tooLarge
                ? new DaedalusException(Category.REJECTED, "54000", "the request exceeds the largest frame")
                : new DaedalusException(Category.RETRY, "53300", "too much waits to be sent to the aggregator");
    }

    static DaedalusException noMoments() {
        return new DaedalusException(Category.REJECTED, "0A000", "at() and freshness() need an aggregator that knows "
                + "moments: those that are connected are of an older build, or have no room");
    }

    static DaedalusException unknownKind() {
        return new DaedalusException(Category.FATAL, "08P01", "the aggregator's answer is of an unknown kind");
    }

    /** Says that the aggregator breaks the protocol. */
    static DaedalusException protocol(String what) {
        return new DaedalusException(Category.FATAL, "08P01", what);
    }

    /**
     * Returns the end of a request that was made for one cluster when only another one is left; null: it can go there.
     */
    static DaedalusException clusterReplaced(Request request, String change) {
        if (request.mayHaveTakenEffect()) {
            return new DaedalusException(Category.UNKNOWN, "08006",
                    "the update was sent, then the cluster was replaced: " + change);
        }
        if (request.content.reads().prefixMin() > 0 || request.content.reads().isAtAMoment()) {
            return new DaedalusException(Category.FATAL, "55000",
                    "the timestamp given to atLeast() or at() is of a cluster that has been replaced: " + change);
        }
        if (request.content.mapVersion() > 0) {
            return new DaedalusException(Category.REJECTED, "55000",
                    "the batch was packed for a cluster that has been replaced; describe() again: " + change);
        }
        return null;
    }

    static DaedalusException refused(WriteRefused refused) {
        if (refused.getReason() == WriteRefusal.WRITE_REFUSAL_REJECTED || refused.hasError()) {
            return ClientAccess.get().failure(refused.getError());
        }
        return switch (refused.getReason()) {
            case WRITE_REFUSAL_OVERLOADED, WRITE_REFUSAL_STALE_MAP -> ClientAccess.get().failure(Error.newBuilder()
                    .setCategory(ErrorCategory.ERROR_CATEGORY_RETRY)
                    .setSqlstate(refused.getReason() == WriteRefusal.WRITE_REFUSAL_OVERLOADED ? "53000" : "55000")
                    .setMessage("the update was refused for now: " + refused.getReason())
                    .setRetryAfterNs(refused.getRetryAfterNs())
                    .build());
            case WRITE_REFUSAL_UNREACHABLE -> new DaedalusException(Category.UNKNOWN, "08006",
                    "node " + refused.getNode() + " cannot be reached: the update may take effect");
            default -> new DaedalusException(Category.FATAL, "XX000", "the update was refused: " + refused.getReason());
        };
    }
}
