package org.daedalus.cli;

/** A command cannot be carried out: what to print, and the exit code. */
public class CliException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The cluster said no, or something failed at run time. */
    public static final int FAILED = 1;
    /** The command line, a file given on it, or the configuration is wrong. */
    public static final int USAGE = 2;

    private final int exitCode;

    public CliException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public static CliException failed(String message) {
        return new CliException(FAILED, message);
    }

    public static CliException usage(String message) {
        return new CliException(USAGE, message);
    }

    public int exitCode() {
        return exitCode;
    }
}
