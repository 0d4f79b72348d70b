package org.daedalus.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;

/**
 * Lines of a text with their ends as they stand there: between quotes they are the user's, carriage returns included.
 */
final class TextLines {
    private final BufferedReader text;

    TextLines(Reader text) {
        this.text = new BufferedReader(text);
    }

    /** Says whether the next line, or its beginning, is there without waiting. */
    boolean isReady() throws IOException {
        return text.ready();
    }

    /** Returns the next line up to its line feed, that included; null at the end. */
    String next() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = text.read(); c >= 0; c = text.read()) {
            line.append((char) c);
            if (c == '\n') {
                break;
            }
        }
        return line.isEmpty() ? null : line.toString();
    }
}
