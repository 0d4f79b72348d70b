package org.daedalus.cli.sql;

import java.io.IOException;
import java.io.PrintStream;

/** Answers go to a target. */
interface Target {
    /** Returns the stream to which the next answer is to be printed. */
    PrintStream begin() throws IOException;

    /** The answer is complete. */
    void end(PrintStream answer) throws IOException;

    /** Columns of the terminal that this is; 0: it is none. */
    int width();

    /** Standard output. */
    final class Standard implements Target {
        private int width = -1;

        @Override
        public PrintStream begin() {
            return System.out;
        }

        @Override
        public void end(PrintStream answer) {
            answer.flush();
        }

        @Override
        public int width() {
            if (width < 0) {
                width = TerminalSize.isTerminal(TerminalSize.STANDARD_OUTPUT) ? TerminalSize.columns() : 0;
            }
            return width;
        }
    }

    /** A file, for as long as it is wanted. */
    record ToFile(PrintStream file) implements Target {
        @Override
        public PrintStream begin() {
            return file;
        }

        @Override
        public void end(PrintStream answer) throws IOException {
            if (file.checkError()) {
                throw new IOException("the file that answers go to cannot be written");
            }
        }

        @Override
        public int width() {
            return 0;
        }
    }
}
