package org.daedalus.load;

import org.daedalus.client.DaedalusException;

/** A request that was due comes to exactly one of these, or is still unanswered. */
public enum Ending {
    /** A query's answer arrived whole; an update was confirmed. */
    ANSWERED("answered"),
    /** There was no room for it (RETRY, SQLSTATE class 53): nothing happened, and it may be asked again. */
    REFUSED("refused"),
    /** No answer within the deadline (RETRY, SQLSTATE 57014), and if it was an update: it never left. */
    EXPIRED("expired"),
    /** Every other error: nobody to be reached, a node lost, a statement that is wrong, rows that were refused. */
    FAILED("failed"),
    /** An update that may have taken effect (UNKNOWN); the deadline of one that had left is the usual cause. */
    UNKNOWN("unknown"),
    /** The generator did not send it: as many as allowed were in flight when it was due. */
    NOT_SENT_IN_FLIGHT("in_flight_max"),
    /** The generator did not send it: it was too late itself, with room left in flight. */
    NOT_SENT_BEHIND("behind_schedule");

    private static final String DEADLINE = "57014";
    private static final String NO_RESOURCES = "53";

    private final String key;

    Ending(String key) {
        this.key = key;
    }

    /** Returns the name that outcomes give it. */
    String key() {
        return key;
    }

    static Ending of(DaedalusException failure) {
        return switch (failure.category()) {
            case UNKNOWN -> UNKNOWN;
            case RETRY -> failure.sqlState().equals(DEADLINE) ? EXPIRED
                    : failure.sqlState().startsWith(NO_RESOURCES) ? REFUSED : FAILED;
            default -> FAILED;
        };
    }
}
