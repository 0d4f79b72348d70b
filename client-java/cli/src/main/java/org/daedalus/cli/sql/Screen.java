package org.daedalus.cli.sql;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;

/**
 * The shell's terminal: answers that fit are printed, those that do not go through a pager: $PAGER, else less where it
 * is installed.
 */
final class Screen implements Target {
    private static final int WIDTH_DEFAULT = 80;
    private static final int HEIGHT_DEFAULT = 24;
    /** Lines that the statement and the next prompt take. */
    private static final int LINES_BESIDES = 2;

    private final Terminal terminal;
    private final Settings settings;

    Screen(Terminal terminal, Settings settings) {
        this.terminal = terminal;
        this.settings = settings;
    }

    @Override
    public PrintStream begin() {
        String pager = settings.pager() ? pager() : null;
        return pager == null ? System.out
                : new PrintStream(new Paged(pager), false, StandardCharsets.UTF_8);
    }

    @Override
    public void end(PrintStream answer) {
        if (answer == System.out) {
            answer.flush();
        } else {
            answer.close();
        }
    }

    @Override
    public int width() {
        int width = terminal.getWidth();
        return width > 0 ? width : WIDTH_DEFAULT;
    }

    /** Returns the command to page with; null: there is none. */
    private static String pager() {
        String given = System.getenv("PAGER");
        if (given != null && !given.isBlank()) {
            return given;
        }
        String path = System.getenv("PATH");
        for (String directory : (path == null ? "" : path).split(":")) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, "less"))) {
                return "less";
            }
        }
        return null;
    }

    /** Keeps an answer back until it does not fit on the screen, and starts the pager then. */
    private final class Paged extends OutputStream {
        private final String pager;
        private final int widthMax;
        private final int linesMax;
        private ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private Process process;
        private int lines;
        private int lineSize;

        Paged(String pager) {
            Size size = terminal.getSize();
            this.pager = pager;
            this.widthMax = width();
            this.linesMax = (size.getRows() > 0 ? size.getRows() : HEIGHT_DEFAULT) - LINES_BESIDES;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int size) throws IOException {
            if (process == null) {
                for (int at = offset; at < offset + size; at++) {
                    count(bytes[at]);
                }
                if (lines <= linesMax) {
                    kept.write(bytes, offset, size);
                    return;
                }
                start();
            }
            process.getOutputStream().write(bytes, offset, size);
        }

        /** A line that is wider than the screen takes several of its lines. */
        private void count(byte value) {
            boolean startsCharacter = (value & 0xc0) != 0x80;
            lineSize += startsCharacter ? 1 : 0;
            if (value == '\n' || lineSize > widthMax) {
                lines++;
                lineSize = 0;
            }
        }

        private void start() throws IOException {
            ProcessBuilder builder = new ProcessBuilder("sh", "-c", pager)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().putIfAbsent("LESS", "-SRX"); // Wide lines are cut, and what was shown stays.
            System.out.flush();
            process = builder.start();
            kept.writeTo(process.getOutputStream());
            kept = null;
        }

        @Override
        public void flush() throws IOException {
            if (process != null) {
                process.getOutputStream().flush();
            }
        }

        @Override
        public void close() throws IOException {
            if (process == null) {
                System.out.write(kept.toByteArray());
                System.out.flush();
                kept.reset();
                return;
            }
            try {
                process.getOutputStream().close();
            } finally {
                awaitPager();
            }
        }

        /** Ctrl-C belongs to the pager as long as it is there. */
        private void awaitPager() {
            boolean interrupted = false;
            while (true) {
                try {
                    process.waitFor();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }
}
