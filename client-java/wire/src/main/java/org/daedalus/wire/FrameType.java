package org.daedalus.wire;

/** The type of a frame says what its payload is (docs/wire.md, "Frames"). */
public enum FrameType {
    HELLO(1),
    KEEP_ALIVE(2),
    OPERATIONS(3),
    RESULTS(4),
    GOODBYE(5);

    private static final FrameType[] BY_CODE = {null, HELLO, KEEP_ALIVE, OPERATIONS, RESULTS, GOODBYE};

    private final int code;

    FrameType(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Returns the type with this code, or null when there is none. */
    public static FrameType ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
