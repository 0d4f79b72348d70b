package org.daedalus.writer;

import org.daedalus.wire.v1.Error;

/** Says why an update has no outcome, or why there is no writer any more. */
public final class WriterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Error error;

    WriterException(Error error) {
        super(error.getMessage());
        this.error = error;
    }

    /** Returns the error, whose category says what to do about it. */
    public Error error() {
        return error;
    }
}
