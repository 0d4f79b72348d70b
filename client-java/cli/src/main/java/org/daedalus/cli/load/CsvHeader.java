package org.daedalus.cli.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.cli.CliException;
import org.daedalus.client.RowPacker;
import org.daedalus.client.TableDescription;
import org.daedalus.wire.ColumnType.Kind;

/**
 * Says which columns the fields of a file have, by its first record or by the word of whoever loads it.
 *
 * @param targets by field: the column's position, or RowPacker.IGNORED
 * @param raw the record as it stands in the file, or as it would stand there
 */
record CsvHeader(TableDescription table, int[] targets, byte[] raw) {
    /**
     * The command line's word about a header.
     *
     * @param columns the names of the fields' columns in place of the header's, "-" for a field that is left out;
     *     null: the header names them, or they are the table's where there is none
     * @param hasHeader the first record names the columns
     * @param skip lines before the header, or before the first row
     * @param ignoresExtra a column that the table has not is left out, too
     * @param format of the whole file
     */
    record Told(List<String> columns, boolean hasHeader, int skip, boolean ignoresExtra, CsvFormat format) {
        private static final String LEFT_OUT = "-";

        /** Writes as options what is not as it is by itself. */
        String asOptions() {
            return (columns == null ? "" : " --columns " + String.join(",", columns))
                    + (hasHeader ? "" : " --no-header")
                    + (skip == 0 ? "" : " --skip " + skip) + (ignoresExtra ? " --ignore-extra" : "");
        }
    }

    /** Reads the header, which {@code records} stands before; throws what is wrong with it. */
    static CsvHeader read(RecordSource records, TableDescription table, Told told) throws IOException, CliException {
        for (int line = 0; line < told.skip(); line++) {
            if (!records.next()) {
                throw CliException.failed("the file has no more than " + line + " lines, and --skip is "
                        + told.skip());
            }
        }
        if (!told.hasHeader()) {
            List<String> names = told.columns() != null ? told.columns()
                    : table.columns().stream().map(TableDescription.Column::name).toList();
            byte[] raw = String.join(String.valueOf(told.format().delimiter()), names).getBytes(StandardCharsets.UTF_8);
            return new CsvHeader(table, targets(names, table, told, "--columns"), raw);
        }
        if (!records.next()) {
            throw CliException.failed("the file is empty: a header is missing");
        }
        if (records.problem() != null) {
            throw CliException.failed("line " + records.line() + ": " + records.problem());
        }
        checkText(records);
        CsvSplitter fields = records.fields();
        if (fields.endsInNothing()) {
            fields.leaveOutLast(); // A delimiter ends every line.
        }
        List<String> names = new ArrayList<>();
        for (int field = 0; field < fields.fieldCount(); field++) {
            names.add(new String(fields.copy(field), StandardCharsets.UTF_8));
        }
        String place = "line " + records.line();
        if (told.columns() != null) {
            if (told.columns().size() != names.size()) {
                throw CliException.failed(place + ": the header has " + names.size() + " fields, and --columns "
                        + told.columns().size());
            }
            names = told.columns();
            place = "--columns";
        }
        return new CsvHeader(table, targets(names, table, told, place), records.raw());
    }

    private static int[] targets(List<String> names, TableDescription table, Told told, String place)
            throws CliException {
        int[] targets = new int[names.size()];
        boolean[] named = new boolean[table.columns().size()];
        for (int field = 0; field < targets.length; field++) {
            String name = names.get(field);
            Integer column = table.find(name).or(() -> table.find(name.strip())).orElse(null);
            boolean isLeftOut = told.columns() != null && name.equals(Told.LEFT_OUT);
            if (column == null && (isLeftOut || told.ignoresExtra())) {
                targets[field] = RowPacker.IGNORED;
                continue;
            }
            if (column == null) {
                throw CliException.failed(place + ", column " + (field + 1) + ": table \"" + table.tableName()
                        + "\" has no column \"" + name + "\"" + delimiterHint(name, targets.length));
            }
            if (named[column]) {
                throw CliException.failed(place + ", column " + (field + 1) + ": \"" + name + "\" is named twice");
            }
            named[column] = true;
            targets[field] = column;
        }
        for (int column = 0; column < named.length; column++) {
            TableDescription.Column described = table.columns().get(column);
            if (!named[column] && !described.nullable() && described.defaultValue() == null) {
                throw CliException.failed(place + ": column \"" + described.name()
                        + "\" is missing: it is NOT NULL and has no default");
            }
        }
        return targets;
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

    /** Suggests another delimiter when the header was not split. */
    private static String delimiterHint(String name, int fieldCount) {
        if (fieldCount > 1) {
            return "";
        }
        String found = name.indexOf('\t') >= 0 ? "tab" : name.indexOf(';') >= 0 ? "';'"
                : name.indexOf('|') >= 0 ? "'|'" : name.indexOf(',') >= 0 ? "," : null;
        return found == null ? "" : ": is --delimiter " + found + " meant?";
    }

    /** Returns the kind of each field's column; null where the field is left out. */
    Kind[] kinds() {
        Kind[] kinds = new Kind[targets.length];
        for (int field = 0; field < kinds.length; field++) {
            kinds[field] = targets[field] == RowPacker.IGNORED ? null
                    : table.columns().get(targets[field]).type().kind();
        }
        return kinds;
    }

    RowPacker packer(String nullText) {
        return new RowPacker(table, targets, nullText);
    }

    /** Name of the column that a field has, as the table spells it. */
    String columnOf(int field) {
        return targets[field] == RowPacker.IGNORED ? Integer.toString(field + 1)
                : table.columns().get(targets[field]).name();
    }
}
