package org.daedalus.writer.journal;

import java.io.IOException;

/** There is no room for what was to be written; later there may be. */
public final class DiskFullException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Says where there is no room. */
    public DiskFullException(String message) {
        super(message);
    }
}
