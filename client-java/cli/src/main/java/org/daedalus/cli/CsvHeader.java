package org.daedalus.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
        CsvSplitter fields = records.fields();
        int[] targets = new int[fields.fieldCount()];
        boolean[] named = new boolean[table.columns().size()];
        for (int field = 0; field < targets.length; field++) {
            String name = new String(fields.copy(field), StandardCharsets.UTF_8);
            Integer column = table.find(name.strip()).orElse(null);
            if (column == null) {
                throw CliException.failed("line 1, column " + (field + 1) + ": table \"" + table.tableName()
                        + "\" has no column \"" + name + "\"");
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

    RowPacker packer(String nullText) {
        return new RowPacker(table, targets, nullText);
    }

    /** Name of the column that a field has, as the table spells it. */
    String columnOf(int field) {
        return table.columns().get(targets[field]).name();
    }
}
