package org.daedalus.cli.sql;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Finds out about the terminal without a library for terminals, which takes its time to load. */
final class TerminalSize {
    static final int STANDARD_INPUT = 0;
    static final int STANDARD_OUTPUT = 1;

    private static final int DEFAULT_COLUMNS = 80;
    private static final int ANSWER_BYTES_MAX = 64;
    static final long STTY_MAX_MS = 500;

    private TerminalSize() {}

    /** Says whether one of the standard streams is a terminal. */
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
        return columns(new ProcessBuilder("stty", "size").redirectInput(new File("/dev/tty")), STTY_MAX_MS);
    }

    /**
     * Returns the columns that a program says, which prints rows and columns; 80 when it does not say so within that
     * time.
     */
    static int columns(ProcessBuilder program, long maxMs) {
        try {
            Process process = program.redirectError(ProcessBuilder.Redirect.DISCARD).start();
            try {
                FutureTask<Integer> answer = new FutureTask<>(() -> answer(process));
                Thread reader = new Thread(answer, "terminal size");
                reader.setDaemon(true);
                reader.start();
                return answer.get(maxMs, TimeUnit.MILLISECONDS);
            } finally {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | ExecutionException | TimeoutException e) {
            return DEFAULT_COLUMNS;
        }
        return DEFAULT_COLUMNS;
    }

    /** Takes as long as the program likes. */
    private static int answer(Process process) throws IOException, InterruptedException {
        byte[] said = process.getInputStream().readNBytes(ANSWER_BYTES_MAX);
        String[] size = new String(said, StandardCharsets.US_ASCII).strip().split(" ");
        int columns = process.waitFor() == 0 && size.length == 2 ? Integer.parseInt(size[1]) : 0;
        return columns > 0 ? columns : DEFAULT_COLUMNS;
    }
}
