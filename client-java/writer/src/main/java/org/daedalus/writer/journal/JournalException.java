package org.daedalus.writer.journal;

import java.io.IOException;

/** A journal that cannot be used as it is: says what is wrong, where, and what to do. */
public final class JournalException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String hint;

    /** Says what is wrong and where, and in {@code hint} what to do. */
    public JournalException(String message, String hint) {
        super(message);
        this.hint = hint;
    }

    /** Says what to do. */
    public String hint() {
        return hint;
    }
}
