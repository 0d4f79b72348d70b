package org.daedalus.cli.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.daedalus.client.Row;
import org.daedalus.client.TableDescription;
import org.daedalus.wire.ColumnType;

/**
 * Rows as the text of a CSV file that `load` reads back exactly: NULL is an empty field, the empty string a quoted one,
 * and a char(n) goes without the blanks that fill it up.
 */
final class CsvText {
    private static final int FLUSH_SIZE = 1 << 16;
    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_]+");

    private final TableDescription table;
    private final ColumnType.Kind[] kinds;
    private final OutputStream out;
    private final StringBuilder text = new StringBuilder(FLUSH_SIZE + (FLUSH_SIZE >> 2));

    CsvText(TableDescription table, OutputStream out) {
        this.table = table;
        this.kinds = table.types().stream().map(ColumnType::kind).toArray(ColumnType.Kind[]::new);
        this.out = out;
    }

    void header() {
        String before = "";
        for (TableDescription.Column column : table.columns()) {
            text.append(before);
            if (PLAIN_NAME.matcher(column.name()).matches()) {
                text.append(column.name());
            } else {
                appendQuoted(column.name(), column.name().length());
            }
            before = ",";
        }
        text.append('\n');
    }

    void row(Row row) throws IOException {
        for (int column = 0; column < kinds.length; column++) {
            if (column > 0) {
                text.append(',');
            }
            if (row.isNull(column)) {
                continue;
            }
            switch (kinds[column]) {
                case CHAR, VARCHAR, TEXT -> appendString(row.getString(column), kinds[column] == ColumnType.Kind.CHAR);
                default -> text.append(row.getText(column));
            }
        }
        text.append('\n');
        if (text.length() >= FLUSH_SIZE) {
            flush();
        }
    }

    void flush() throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
    }

    private void appendString(String value, boolean isFilledUp) {
        int end = value.length();
        while (isFilledUp && end > 0 && value.charAt(end - 1) == ' ') {
            end--;
        }
        if (needsQuotes(value, end)) {
            appendQuoted(value, end);
        } else {
            text.append(value, 0, end);
        }
    }

    private static boolean needsQuotes(String value, int end) {
        if (end == 0 || value.charAt(0) == ' ' || value.charAt(end - 1) == ' ') {
            return true;
        }
        for (int at = 0; at < end; at++) {
            char c = value.charAt(at);
            if (c == ',' || c == '"' || c == '\n' || c == '\r') {
                return true;
            }
        }
        return false;
    }

    private void appendQuoted(String value, int end) {
        text.append('"');
        for (int at = 0; at < end; at++) {
            char c = value.charAt(at);
            text.append(c);
            if (c == '"') {
                text.append(c);
            }
        }
        text.append('"');
    }
}
