package org.daedalus.cli;

/** Does what is necessary when this process is ended from outside (Ctrl-C, SIGTERM) before the work at hand is over. */
public final class Interruption {
    private final Thread hook;

    /** Runs {@code action} from now on in that case, beside the threads that are at work. */
    public Interruption(Runnable action) {
        hook = new Thread(action);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The work is over. */
    public void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is being ended: the action says so.
        }
    }
}
