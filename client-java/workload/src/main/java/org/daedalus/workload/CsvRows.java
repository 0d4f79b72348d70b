package org.daedalus.workload;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;

/**
 * Writes rows as CSV with a header of column names: NULL is an empty field, an empty text is {@code ""}. Works in one
 * buffer and formats by hand, because formatting is most of what making a million tickets costs. Not thread-safe.
 */
public final class CsvRows implements RowWriter, Closeable {
    private static final int BUFFER_SIZE = 1 << 18;
    private static final int VALUE_SIZE_MAX = 32;
    private static final int DATE_SIZE = 10;
    private static final int FIRST_DAY = (int) LocalDate.of(1900, 1, 1).toEpochDay();
    private static final int DAYS = 73_049;
    private static final int SECONDS_PER_DAY = 86_400;

    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER_SIZE];
    private final byte[] dates = new byte[DAYS * DATE_SIZE];
    private int size;
    private boolean rowStarted;

    /** Takes {@code out} over, and writes the header. */
    public CsvRows(OutputStream out) {
        this.out = out;
        for (int day = 0; day < DAYS; day++) {
            byte[] text = LocalDate.ofEpochDay(FIRST_DAY + (long) day).toString().getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(text, 0, dates, day * DATE_SIZE, DATE_SIZE);
        }
        for (Column column : Column.values()) {
            text(column.sqlName());
        }
        endOfRow();
    }

    @Override
    public void nothing() {
        startField();
    }

    @Override
    public void flag(boolean value) {
        startField();
        buffer[size++] = (byte) (value ? 't' : 'f');
    }

    @Override
    public void number(long value) {
        startField();
        putNumber(value);
    }

    @Override
    public void money(long hundredths) {
        startField();
        if (hundredths < 0) {
            buffer[size++] = '-';
        }
        long amount = Math.abs(hundredths);
        putNumber(amount / 100);
        buffer[size++] = '.';
        putTwo((int) (amount % 100));
    }

    @Override
    public void date(int day) {
        startField();
        putDate(day);
    }

    @Override
    public void timestamp(long second) {
        startField();
        putDate((int) Math.floorDiv(second, SECONDS_PER_DAY));
        int ofDay = Math.floorMod(second, SECONDS_PER_DAY);
        buffer[size++] = ' ';
        putTwo(ofDay / 3_600);
        buffer[size++] = ':';
        putTwo(ofDay / 60 % 60);
        buffer[size++] = ':';
        putTwo(ofDay % 60);
    }

    @Override
    public void text(String value) {
        startField();
        int length = value.length();
        reserve(length);
        int start = size;
        boolean plain = length > 0;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            plain &= c < 0x80 && c != ',' && c != '"' && c != '\n' && c != '\r';
            buffer[size++] = (byte) c;
        }
        if (!plain) {
            size = start;
            putQuoted(value);
        }
    }

    @Override
    public void character(char value) {
        startField();
        buffer[size++] = (byte) value;
    }

    @Override
    public void endOfRow() {
        reserve(VALUE_SIZE_MAX);
        buffer[size++] = '\n';
        rowStarted = false;
    }

    @Override
    public void close() throws IOException {
        try (out) {
            out.write(buffer, 0, size);
            size = 0;
        }
    }

    private void startField() {
        reserve(VALUE_SIZE_MAX);
        if (rowStarted) {
            buffer[size++] = ',';
        }
        rowStarted = true;
    }

    private void reserve(int bytes) {
        if (size + bytes > BUFFER_SIZE) {
            if (bytes > BUFFER_SIZE) {
                throw new IllegalArgumentException("a text of " + bytes + " bytes is longer than any column");
            }
            try {
                out.write(buffer, 0, size);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            size = 0;
        }
    }

    private void putQuoted(String value) {
        byte[] bytes = ('"' + value.replace("\"", "\"\"") + '"').getBytes(StandardCharsets.UTF_8);
        reserve(bytes.length);
        System.arraycopy(bytes, 0, buffer, size, bytes.length);
        size += bytes.length;
    }

    private void putDate(int day) {
        int at = day - FIRST_DAY;
        if (at < 0 || at >= DAYS) {
            throw new IllegalArgumentException(LocalDate.ofEpochDay(day) + " is not in 1900 to 2099");
        }
        System.arraycopy(dates, at * DATE_SIZE, buffer, size, DATE_SIZE);
        size += DATE_SIZE;
    }

    private void putTwo(int value) {
        buffer[size++] = (byte) ('0' + value / 10);
        buffer[size++] = (byte) ('0' + value % 10);
    }

    private void putNumber(long value) {
        long rest = value;
        if (rest < 0) {
            buffer[size++] = '-';
            rest = -rest;
        }
        int start = size;
        do {
            buffer[size++] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        for (int low = start, high = size - 1; low < high; low++, high--) {
            byte kept = buffer[low];
            buffer[low] = buffer[high];
            buffer[high] = kept;
        }
    }
}
