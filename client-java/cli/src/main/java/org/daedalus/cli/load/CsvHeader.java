package org.daedalus.cli.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.daedalus.cli.CliException;
import org.daedalus.client.RowPacker;
import org.daedalus.client.TableDescription;

/**
 * A file's first record: which columns its fields have.
 *
 * @param targets by field: the column's position
 * @param raw the record as it stands in the file
 */
record CsvHeader(TableDescription table, int[] targets, byte[] raw) {
    /** Reads the header, which {@code records} stands before; throws what is wrong with it. */
    static CsvHeader read(RecordSource records, TableDescription table) throws IOException, CliException {
        if (!records.next()) {
            throw CliException.failed("the file is empty: a header is missing");
        }
        if (records.problem() != null) {
            throw CliException.failed("line " + records.line() + ": " + records.problem());
        }
        checkText(records);
        CsvSplitter fields = records.fields();
        int[] targets = new int[fields.fieldCount()];
        boolean[] named = new boolean[table.columns().size()];
        for (int field = 0; field < targets.length; field++) {
            String name = new String(fields.copy(field), StandardCharsets.UTF_8);
            Integer column = table.find(name).or(() -> table.find(name.strip())).orElse(null);
            if (column == null) {
                throw CliException.failed("line 1, column " + (field + 1) + ": table \"" + table.tableName()
                        + "\" has no column \"" + name + "\"" + delimiterHint(name, targets.length));
            }
            if (named[column]) {
                throw CliException.failed("line 1, column " + (field + 1) + ": \"" + name + "\" is named twice");
            }
            named[column] = true;
            targets[field] = column;
        }
        for (int column = 0; column < named.length; column++) {
            TableDescription.Column described = table.columns().get(column);
            if (!named[column] && !described.nullable() && described.defaultValue() == null) {
                throw CliException.failed("line 1: column \"" + described.name()
                        + "\" is missing: it is NOT NULL and has no default");
            }
        }
        return new CsvHeader(table, targets, records.raw());
    }

    private static void checkText(RecordSource records) throws CliException {
        byte[] raw = records.raw();
        Utf8Fault fault = Utf8Fault.find(raw, records.line());
        if (fault == null) {
            return;
        }
        int first = raw[0] & 0xff;
        boolean isUtf16 = raw.length > 1 && (first == 0xff || first == 0xfe) && (first ^ (raw[1] & 0xff)) == 1;
        throw CliException.failed(fault.describe()
                + (isUtf16 ? " (this looks like UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`)" : ""));
    }

    /** What to try when the header was not split. */
    private static String delimiterHint(String name, int fieldCount) {
        if (fieldCount > 1) {
            return "";
        }
        String found = name.indexOf('\t') >= 0 ? "tab" : name.indexOf(';') >= 0 ? "';'"
                : name.indexOf('|') >= 0 ? "'|'" : name.indexOf(',') >= 0 ? "," : null;
        return found == null ? "" : ": is --delimiter " + found + " meant?";
    }

    RowPacker packer(String nullText) {
        return new RowPacker(table, targets, nullText);
    }

    /** Name of the column that a field has, as the table spells it. */
    String columnOf(int field) {
        return table.columns().get(targets[field]).name();
    }
}
