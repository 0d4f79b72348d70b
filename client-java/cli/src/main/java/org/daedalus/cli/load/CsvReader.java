package org.daedalus.cli.load;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads the records of a CSV file. What stands where a record should and is none is taken to end with its first line:
 * a forgotten quote costs one line, not the rest of the file.
 */
final class CsvReader implements RecordSource {
    /** Longest record, bytes: twice what a row can hold, for doubled quotes, and as much again for commas and such. */
    static final int RECORD_SIZE_MAX = 4 << 20;

    private static final int BUFFER_SIZE = 1 << 18;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final InputStream in;
    private final CsvSplitter splitter;
    private final CRC32C crc;
    private final int comment;
    private byte[] buffer = new byte[BUFFER_SIZE];
    /** The buffer's first byte stands here in the file. */
    private long bufferOffset;
    private int limit;
    private boolean atEnd;
    private int recordStart;
    private int recordEnd;
    private int checked;
    private long line = 1;
    private long nextLine = 1;
    private String problem;

    /** Reads a file from its first byte on. */
    CsvReader(InputStream bytes, CsvFormat format) {
        this(bytes, format, new Place(0, 1), new CRC32C());
    }

    /**
     * Reads a file from a place between two records on.
     *
     * @param before has seen the bytes before the place
     */
    CsvReader(InputStream bytes, CsvFormat format, Place start, CRC32C before) {
        in = bytes;
        splitter = new CsvSplitter(format.delimiter());
        comment = format.comment();
        crc = before;
        bufferOffset = start.offset();
        nextLine = start.line();
    }

    @Override
    public boolean next() throws IOException {
        do {
            recordStart = recordEnd;
            line = nextLine;
            if (bufferOffset == 0 && recordStart == 0) {
                skipByteOrderMark();
            }
            if (recordStart == limit && !fill()) {
                return false;
            }
        } while (skipComment());
        int end = splitter.split(buffer, recordStart, limit, atEnd);
        while (end == CsvSplitter.MORE && limit - recordStart <= RECORD_SIZE_MAX) {
            fill();
            end = splitter.split(buffer, recordStart, limit, atEnd);
        }
        problem = splitter.problem();
        if (end == CsvSplitter.MORE || end > recordStart + RECORD_SIZE_MAX) {
            problem = "the record exceeds " + RECORD_SIZE_MAX + " bytes (is a quote not closed?)";
        }
        recordEnd = problem == null ? end : endOfLine();
        nextLine = line + (problem == null ? splitter.lineCount() : 1);
        return true;
    }

    /** Passes over a comment; returns true when one stood where the record should. */
    private boolean skipComment() throws IOException {
        if ((buffer[recordStart] & 0xff) != comment) {
            return false;
        }
        recordEnd = endOfLine();
        nextLine = line + 1;
        return true;
    }

    private void skipByteOrderMark() throws IOException {
        while (limit < BYTE_ORDER_MARK.length && fill()) {
            // A file may come in small pieces.
        }
        int size = BYTE_ORDER_MARK.length;
        if (limit >= size && Arrays.equals(buffer, 0, size, BYTE_ORDER_MARK, 0, size)) {
            recordStart = size;
        }
    }

    /** Returns where the line that starts at the record ends. */
    private int endOfLine() throws IOException {
        int size = 0;
        while (true) {
            for (; recordStart + size < limit; size++) {
                byte c = buffer[recordStart + size];
                boolean isReturn = c == '\r';
                if (isReturn && recordStart + size + 1 >= limit && !atEnd) {
                    break;
                }
                if (isReturn || c == '\n') {
                    boolean isPair = isReturn && recordStart + size + 1 < limit
                            && buffer[recordStart + size + 1] == '\n';
                    return recordStart + size + (isPair ? 2 : 1);
                }
            }
            if (!fill() && atEnd && recordStart + size >= limit) {
                return limit;
            }
            if (size > RECORD_SIZE_MAX) {
                throw new IOException("line " + line + " has more than " + RECORD_SIZE_MAX
                        + " bytes: this is no CSV file of a table");
            }
        }
    }

    /** Reads on, behind what is there of the record; false at the end of the file. */
    private boolean fill() throws IOException {
        if (atEnd) {
            return false;
        }
        if (recordStart > 0) {
            check(recordStart);
            System.arraycopy(buffer, recordStart, buffer, 0, limit - recordStart);
            bufferOffset += recordStart;
            limit -= recordStart;
            checked -= recordStart;
            recordStart = 0;
            recordEnd = 0;
        }
        if (limit == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        int count = in.read(buffer, limit, buffer.length - limit);
        atEnd = count < 0;
        limit += Math.max(0, count);
        return !atEnd;
    }

    private void check(int to) {
        crc.update(buffer, checked, to - checked);
        checked = to;
    }

    @Override
    public CsvSplitter fields() {
        return splitter;
    }

    @Override
    public String problem() {
        return problem;
    }

    @Override
    public long line() {
        return line;
    }

    @Override
    public byte[] raw() {
        int end = recordEnd;
        if (end > recordStart && buffer[end - 1] == '\n') {
            end--;
        }
        if (end > recordStart && buffer[end - 1] == '\r') {
            end--;
        }
        return Arrays.copyOfRange(buffer, recordStart, end);
    }

    @Override
    public boolean isBlank() {
        byte first = recordEnd > recordStart ? buffer[recordStart] : 0;
        return first == '\n' || first == '\r';
    }

    @Override
    public Place nextPlace() {
        return new Place(bufferOffset + recordEnd, nextLine);
    }

    @Override
    public int checksum() {
        check(recordEnd);
        return (int) crc.getValue();
    }
}
