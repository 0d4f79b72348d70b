package org.daedalus.cli.load;

import java.util.Arrays;
import org.daedalus.client.TextFields;

/**
 * Splits one RFC 4180 record into fields, on bytes: delimiters, double quotes, line ends inside quotes. Keeps apart an
 * empty field and a quoted empty one. Knows nothing of files, columns, types and whether the bytes are UTF-8.
 */
final class CsvSplitter implements TextFields {
    /** {@link #split} returns this when the record may go on beyond the bytes given. */
    static final int MORE = -1;
    /** {@link #split} returns this when the bytes are no record; {@link #problem} says why. */
    static final int MALFORMED = -2;

    private final byte delimiter;
    private final boolean[] endsPlainField = new boolean[256];
    private byte[] bytes = {};
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    /** Says of each field whether it is in quotes; the next says whether quotes inside it are doubled. */
    private boolean[] quoted = new boolean[64];
    private boolean[] doubled = new boolean[64];
    private int fieldCount;
    private int lineCount;
    private String problem;
    private byte[] undoubled = {};
    private int undoubledSize;
    private int undoubledField;

    /**
     * Makes a splitter.
     *
     * @param delimiter what stands between fields: an ASCII character other than a quote or a line end
     */
    CsvSplitter(char delimiter) {
        this.delimiter = (byte) delimiter;
        for (char c : new char[] {delimiter, '"', '\n', '\r'}) {
            endsPlainField[c] = true;
        }
    }

    /**
     * Splits the record at {@code from}. The bytes must stay as they are while fields are read.
     *
     * @param isAll nothing follows after {@code to}
     * @return where the next record starts, MORE or MALFORMED
     */
    int split(byte[] text, int from, int to, boolean isAll) {
        bytes = text;
        fieldCount = 0;
        lineCount = 0;
        problem = null;
        undoubledField = -1;
        int at = from;
        while (true) {
            at = at < to && text[at] == '"' ? quotedField(at, to, isAll) : plainField(at, to);
            if (at < 0 || at >= to) {
                return at < 0 ? at : isAll ? to : MORE;
            }
            byte end = text[at++];
            if (end == delimiter) {
                continue;
            }
            if (end == '\r') {
                if (at >= to && !isAll) {
                    return MORE;
                }
                at += at < to && text[at] == '\n' ? 1 : 0;
            }
            lineCount++;
            return at;
        }
    }

    private int plainField(int from, int to) {
        int at = from;
        while (at < to && !endsPlainField[bytes[at] & 0xff]) {
            at++;
        }
        if (at < to && bytes[at] == '"') {
            return malformed("a quote inside a field that does not start with one");
        }
        addField(from, at, false, false);
        return at;
    }

    private int quotedField(int from, int to, boolean isAll) {
        boolean hasDoubled = false;
        int at = from + 1;
        while (true) {
            if (at >= to) {
                return isAll ? malformed("the quote is not closed") : MORE;
            }
            if (bytes[at] == '\n') {
                lineCount++;
            } else if (bytes[at] == '"') {
                if (at + 1 >= to && !isAll) {
                    return MORE;
                }
                if (at + 1 >= to || bytes[at + 1] != '"') {
                    break;
                }
                hasDoubled = true;
                at++;
            }
            at++;
        }
        int next = at + 1;
        if (next < to && (!endsPlainField[bytes[next] & 0xff] || bytes[next] == '"')) {
            return malformed("text after the closing quote");
        }
        addField(from + 1, at, true, hasDoubled);
        return next;
    }

    private int malformed(String reason) {
        problem = reason;
        return MALFORMED;
    }

    private void addField(int start, int end, boolean isQuoted, boolean hasDoubled) {
        if (fieldCount == starts.length) {
            starts = Arrays.copyOf(starts, 2 * fieldCount);
            ends = Arrays.copyOf(ends, 2 * fieldCount);
            quoted = Arrays.copyOf(quoted, 2 * fieldCount);
            doubled = Arrays.copyOf(doubled, 2 * fieldCount);
        }
        starts[fieldCount] = start;
        ends[fieldCount] = end;
        quoted[fieldCount] = isQuoted;
        doubled[fieldCount] = hasDoubled;
        fieldCount++;
    }

    /** Returns why the last split found no record; null when it found one. */
    String problem() {
        return problem;
    }

    /** Line ends in the record, its own included. */
    int lineCount() {
        return lineCount;
    }

    /** Returns the number of fields, or of complete fields before the problem. */
    @Override
    public int fieldCount() {
        return fieldCount;
    }

    /** Says whether the last field is empty and without quotes, as behind a delimiter that ends every line. */
    boolean endsInNothing() {
        int last = fieldCount - 1;
        return last > 0 && starts[last] == ends[last] && !quoted[last];
    }

    /** The last field is none of the record's. */
    void leaveOutLast() {
        fieldCount--;
    }

    @Override
    public byte[] bytes(int field) {
        if (!doubled[field]) {
            return bytes;
        }
        undouble(field);
        return undoubled;
    }

    @Override
    public int start(int field) {
        return doubled[field] ? 0 : starts[field];
    }

    @Override
    public int end(int field) {
        if (!doubled[field]) {
            return ends[field];
        }
        undouble(field);
        return undoubledSize;
    }

    @Override
    public boolean isQuoted(int field) {
        return quoted[field];
    }

    /** Returns the field's bytes in an array of their own. */
    byte[] copy(int field) {
        return Arrays.copyOfRange(bytes(field), start(field), end(field));
    }

    private void undouble(int field) {
        if (undoubledField == field) {
            return;
        }
        int size = ends[field] - starts[field];
        undoubled = undoubled.length < size ? new byte[size] : undoubled;
        undoubledSize = 0;
        for (int at = starts[field]; at < ends[field]; at++) {
            undoubled[undoubledSize++] = bytes[at];
            at += bytes[at] == '"' ? 1 : 0;
        }
        undoubledField = field;
    }
}
