package org.daedalus.client;

/** A text that is no value of its type: PostgreSQL's code and message. */
public final class ValueException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String sqlState;

    /** A refusal in PostgreSQL's words. */
    public ValueException(String sqlState, String message) {
        super(message, null, false, false); // Bad values may be many, and no stack tells more about them.
        this.sqlState = sqlState;
    }

    /** Returns the SQLSTATE with which PostgreSQL refuses the text. */
    public String sqlState() {
        return sqlState;
    }
}
