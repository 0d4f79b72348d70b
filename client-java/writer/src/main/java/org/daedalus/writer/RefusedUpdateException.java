package org.daedalus.writer;

import org.daedalus.wire.v1.Error;

/** An update that is wrong in itself and must not get a number. */
final class RefusedUpdateException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String sqlState;

    RefusedUpdateException(String sqlState, String message) {
        super(message);
        this.sqlState = sqlState;
    }

    Error toError() {
        return Errors.rejected(sqlState, getMessage(), "");
    }
}
