package org.daedalus.cli.sql;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What can be known of the terminal without a library for terminals, which takes its time to load. */
final class TerminalSize {
    static final int STANDARD_INPUT = 0;
    static final int STANDARD_OUTPUT = 1;

    private static final int DEFAULT_COLUMNS = 80;
    private static final long STTY_MAX_MS = 500;

    private TerminalSize() {}

    /** Whether one of the standard streams is a terminal. */
    static boolean isTerminal(int stream) {
        try {
            String file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + stream)).toString();
            return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty") || file.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return System.console() != null; // No such file system: both are terminals, or neither is known to be.
        }
    }

    /** Columns of the controlling terminal, as COLUMNS or it says; 80 when neither does. */
    static int columns() {
        String given = System.getenv("COLUMNS");
        if (given != null && given.matches("[1-9][0-9]{0,4}")) {
            return Integer.parseInt(given);
        }
        try {
            Process stty = new ProcessBuilder("stty", "size").redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            byte[] answer = stty.getInputStream().readAllBytes();
            String[] said = new String(answer, StandardCharsets.US_ASCII).strip().split(" ");
            if (stty.waitFor(STTY_MAX_MS, TimeUnit.MILLISECONDS) && stty.exitValue() == 0 && said.length == 2) {
                int columns = Integer.parseInt(said[1]);
                return columns > 0 ? columns : DEFAULT_COLUMNS;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_COLUMNS;
        }
        return DEFAULT_COLUMNS;
    }
}
