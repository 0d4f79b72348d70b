package org.daedalus.client;

/**
 * A field of a record that is no value of its column.
 *
 * @hidden for the command line: no part of the API, and changed without notice
 */
public final class BadFieldException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int field;
    private final String column;
    private final String sqlState;

    BadFieldException(int field, String column, String sqlState, String message) {
        super(message, null, false, false); // Bad lines may be many, and no stack tells more about them.
        this.field = field;
        this.column = column;
        this.sqlState = sqlState;
    }

    /** Position in the record, from 0. */
    public int field() {
        return field;
    }

    /** Returns the column's name. */
    public String column() {
        return column;
    }

    /** Returns the SQLSTATE with which PostgreSQL refuses the field. */
    public String sqlState() {
        return sqlState;
    }
}
