package org.daedalus.client;

import java.time.Duration;
import java.util.List;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.MissingPart;

/** Says why a request has no answer. {@link #category()} says what to do about it. */
public sealed class DaedalusException extends RuntimeException permits RefusedRowsException {
    private static final long serialVersionUID = 1L;

    /** Says what the failure means for the request. */
    public enum Category {
        /** Nothing happened; the same may succeed later ({@link #retryAfter()}). */
        RETRY,
        /**
         * The request is wrong and will be wrong again. Nothing of it has taken effect, except of an update that ended
         * in a {@link RefusedRowsException}.
         */
        REJECTED,
        /** An update that may or may not have taken effect. */
        UNKNOWN,
        /** The cluster or the client is broken or misconfigured. */
        FATAL
    }

    /**
     * A part of the table that is missing from an answer.
     *
     * @param node id of the storage node
     * @param partition its partition
     */
    public record Missing(int node, int partition, String reason) {}

    private final Category category;
    private final String sqlState;
    private final String detail;
    private final String hint;
    private final int position;
    private final Duration retryAfter;
    private final transient List<Missing> missing;

    /** A failure that no place in a statement has to do with. */
    public DaedalusException(Category category, String sqlState, String message) {
        this(category, sqlState, message, 0);
    }

    /** @param position of what is wrong in the statement: its character, counted from 1; 0 when that is unknown */
    public DaedalusException(Category category, String sqlState, String message, int position) {
        super(message);
        this.category = category;
        this.sqlState = sqlState;
        this.detail = "";
        this.hint = "";
        this.position = position;
        this.retryAfter = Duration.ZERO;
        this.missing = List.of();
    }

    DaedalusException(Category category, Error error, List<Missing> missing) {
        super(error.getMessage());
        this.category = category;
        this.sqlState = error.getSqlstate();
        this.detail = error.getDetail();
        this.hint = error.getHint();
        this.position = error.getPosition();
        this.retryAfter = Duration.ofNanos(error.getRetryAfterNs());
        this.missing = missing;
    }

    /** Translates an error of the wire. */
    static DaedalusException of(Error error) {
        Category category = switch (error.getCategory()) {
            case ERROR_CATEGORY_RETRY -> Category.RETRY;
            case ERROR_CATEGORY_REJECTED -> Category.REJECTED;
            case ERROR_CATEGORY_UNKNOWN -> Category.UNKNOWN;
            default -> Category.FATAL;
        };
        return new DaedalusException(category, error,
                error.getMissingList().stream().map(DaedalusException::toMissing).toList());
    }

    private static Missing toMissing(MissingPart part) {
        return new Missing(part.getNode(), part.getPartition(), part.getReason());
    }

    /** Returns a copy for the thread that waits: the stack names the waiter, the cause the first occurrence. */
    DaedalusException rethrown() {
        Error error = Error.newBuilder().setSqlstate(sqlState).setMessage(getMessage()).setDetail(detail).setHint(hint)
                .setPosition(position).setRetryAfterNs(retryAfter.toNanos()).build();
        DaedalusException copy = new DaedalusException(category, error, missing());
        copy.initCause(this);
        return copy;
    }

    /** Says what can be done about it. */
    public Category category() {
        return category;
    }

    /**
     * Tells a log the class, category, SQLSTATE and message, and the position in the statement and the hint if there
     * are any.
     */
    @Override
    public String toString() {
        return getClass().getName() + ": " + category + " " + sqlState + ": " + getMessage()
                + (position == 0 ? "" : " (position " + position + ")") + (hint.isEmpty() ? "" : "; hint: " + hint);
    }

    /** PostgreSQL's five characters. */
    public String sqlState() {
        return sqlState;
    }

    /** More about what is wrong; empty where there is no more. */
    public String detail() {
        return detail;
    }

    /** Returns what may help; empty where nobody knows. */
    public String hint() {
        return hint;
    }

    /** Character position in the SQL text, from 1; 0: none. */
    public int position() {
        return position;
    }

    /** Returns how long to wait before coming back, for {@link Category#RETRY}; zero: no hint. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Returns the parts that are missing from an answer that could not be completed. */
    public List<Missing> missing() {
        return missing == null ? List.of() : missing;
    }
}
