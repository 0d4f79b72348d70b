package org.daedalus.wire;

/**
 * Bytes from a peer are not what the contract allows. The connection they came over is closed; nothing else is harmed.
 */
public final class WireException extends Exception {
    private static final long serialVersionUID = 1L;

    public WireException(String message) {
        super(message);
    }

    public WireException(String message, Throwable cause) {
        super(message, cause);
    }
}
