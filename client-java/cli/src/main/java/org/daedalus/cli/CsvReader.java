package org.daedalus.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads RFC 4180 records: commas, double quotes, embedded line ends, UTF-8. Keeps apart an empty field and a quoted
 * empty one.
 * Knows nothing of columns and types.
 */
final class CsvReader {
    /** Longest field, characters. */
    static final int FIELD_SIZE_MAX = 1 << 20;

    private static final int BUFFER_SIZE = 1 << 16;
    private static final int END = -1;
    private static final char BYTE_ORDER_MARK = '\ufeff';

    /** The text is not CSV, or not UTF-8. */
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;

        private final long line;

        MalformedException(long line, String message) {
            super(message);
            this.line = line;
        }

        long line() {
            return line;
        }
    }

    private final Reader in;
    private final char[] buffer = new char[BUFFER_SIZE];
    private int bufferSize;
    private int position;
    private long line = 1;
    private long recordLine;
    private String[] fields = new String[16];
    private boolean[] quoted = new boolean[16];
    private int fieldCount;
    private final StringBuilder text = new StringBuilder();

    CsvReader(InputStream bytes) {
        in = new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT).onUnmappableCharacter(CodingErrorAction.REPORT));
    }

    /** Moves to the next record; false at the end. */
    boolean next() throws IOException, MalformedException {
        fieldCount = 0;
        if (line == 1 && position == 0 && bufferSize == 0 && peek() == BYTE_ORDER_MARK) {
            position++;
        }
        recordLine = line;
        if (peek() == END) {
            return false;
        }
        while (readField()) {
            // One more field of this record.
        }
        return true;
    }

    /** The line the record starts on, from 1. */
    long line() {
        return recordLine;
    }

    int fieldCount() {
        return fieldCount;
    }

    String field(int index) {
        return fields[index];
    }

    /** Whether the field stood in quotes. */
    boolean isQuoted(int index) {
        return quoted[index];
    }

    /** Reads one field and what ends it; true: another one follows in this record. */
    private boolean readField() throws IOException, MalformedException {
        text.setLength(0);
        boolean inQuotes = peek() == '"';
        if (inQuotes) {
            position++;
            readQuoted();
        } else {
            readPlain();
        }
        addField(text.toString(), inQuotes);
        int c = peek();
        position++;
        if (c == '\r' && peek() == '\n') {
            position++;
        }
        if (c == '\r' || c == '\n') {
            line++;
        }
        return c == ',';
    }

    private void readPlain() throws IOException, MalformedException {
        for (int c = peek(); c != END && c != ',' && c != '\n' && c != '\r'; c = peek()) {
            if (c == '"') {
                throw malformed("a quote inside a field that does not start with one");
            }
            append((char) c);
        }
    }

    private void readQuoted() throws IOException, MalformedException {
        while (true) {
            int c = peek();
            if (c == END) {
                throw malformed("the quote is not closed");
            }
            if (c == '"') {
                position++;
                c = peek();
                if (c != '"') {
                    if (c != END && c != ',' && c != '\n' && c != '\r') {
                        throw malformed("text after the closing quote");
                    }
                    return;
                }
            } else if (c == '\n') {
                line++;
            }
            append((char) c);
        }
    }

    private void append(char c) throws MalformedException {
        if (text.length() >= FIELD_SIZE_MAX) {
            throw malformed("a field exceeds " + FIELD_SIZE_MAX + " characters (is a quote not closed?)");
        }
        text.append(c);
        position++;
    }

    private MalformedException malformed(String reason) {
        return new MalformedException(recordLine, "column " + (fieldCount + 1) + ": " + reason);
    }

    private void addField(String field, boolean isQuoted) {
        if (fieldCount == fields.length) {
            fields = Arrays.copyOf(fields, 2 * fieldCount);
            quoted = Arrays.copyOf(quoted, 2 * fieldCount);
        }
        fields[fieldCount] = field;
        quoted[fieldCount] = isQuoted;
        fieldCount++;
    }

    private int peek() throws IOException, MalformedException {
        if (position >= bufferSize) {
            try {
                bufferSize = in.read(buffer);
            } catch (CharacterCodingException e) {
                throw new MalformedException(line, "not UTF-8, on this line or one soon after it");
            }
            position = 0;
            if (bufferSize <= 0) {
                bufferSize = 0;
                return END;
            }
        }
        return buffer[position];
    }
}
