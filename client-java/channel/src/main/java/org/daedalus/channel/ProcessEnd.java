package org.daedalus.channel;

/**
 * Ends a program that has run out of memory: half of what it should do would go on not to happen, and nobody would
 * know. Programs ask for it; a library in somebody else's process never ends that.
 *
 * <p>Where the virtual machine itself runs out, its option ExitOnOutOfMemoryError, which every launcher gives it, does
 * the same earlier and with the same exit code.
 */
public final class ProcessEnd {
    /** The virtual machine itself ends with this code. */
    private static final int EXIT_CODE = 3;

    private static volatile String program;

    private ProcessEnd() {}

    /** Makes this process end when a thread of it runs out of memory. */
    public static void onOutOfMemoryOf(String name) {
        program = name;
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            if (failure instanceof OutOfMemoryError) {
                onOutOfMemory(failure);
            }
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            failure.printStackTrace();
        });
    }

    /** Ends the process if its program has asked for it; for those who catch everything. */
    static void onOutOfMemory(Throwable failure) {
        String name = program;
        if (name != null) {
            System.err.println(name + ": out of memory: " + failure.getMessage());
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
