package org.daedalus.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.daedalus.client.internal.values.PlainText;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.PackedValues;

/**
 * Packs records of text fields into rows of one table. Decides what is NULL and where defaults go; the meaning of a
 * text is {@link ValueText}'s. Not thread-safe.
 *
 * @hidden for the command line: no part of the API, and changed without notice
 */
public final class RowPacker {
    /** A field that no column has is given this in the place of a column. */
    public static final int IGNORED = -1;

    private static final int ABSENT = -1;

    private final TableDescription.Column[] columns;
    private final ColumnType[] types;
    /** Tells for each column which field has it, or ABSENT. */
    private final int[] fields;
    /** Holds for each column that no field has its packed value; null is NULL. */
    private final byte[][] defaults;
    private final int fieldCount;
    private final byte[] nullText;

    /**
     * Makes a packer for records of one header.
     *
     * @param targets by field: which column it has, or IGNORED; every column at most once
     * @param nullText an unquoted field with this text is NULL, as an empty one is; may be null
     */
    public RowPacker(TableDescription table, int[] targets, String nullText) {
        this.columns = table.columns().toArray(TableDescription.Column[]::new);
        this.types = table.types().toArray(ColumnType[]::new);
        this.nullText = nullText == null ? new byte[0] : nullText.getBytes(StandardCharsets.UTF_8);
        this.fieldCount = targets.length;
        this.fields = new int[columns.length];
        this.defaults = new byte[columns.length][];
        Arrays.fill(fields, ABSENT);
        for (int field = 0; field < targets.length; field++) {
            if (targets[field] != IGNORED) {
                fields[targets[field]] = field;
            }
        }
        for (int column = 0; column < columns.length; column++) {
            Object value = columns[column].defaultValue();
            defaults[column] = value == null ? null : PackedValues.encode(types[column], value);
        }
    }

    /**
     * Adds one record as a row to {@code batch}, which stays as it was when the record is bad.
     *
     * @throws IllegalArgumentException when the record has not as many fields as there are targets, or the row exceeds
     *     what a row may have
     */
    public void pack(TextFields record, RowBatch batch) throws BadFieldException {
        if (record.fieldCount() != fieldCount) {
            throw new IllegalArgumentException(record.fieldCount() + " fields instead of " + fieldCount);
        }
        ByteWriter out = batch.packedRows();
        int start = out.size();
        try {
            PackedRows.begin(columns.length, out);
            for (int column = 0; column < columns.length; column++) {
                boolean isNull = fields[column] == ABSENT
                        ? appendDefault(column, out)
                        : appendField(record, fields[column], column, out);
                if (isNull) {
                    out.setBit(start + 4, column);
                }
            }
            PackedRows.end(start, out);
        } catch (BadFieldException | IllegalArgumentException e) {
            out.truncate(start);
            throw e;
        }
        batch.onPacked(start);
    }

    /** Appends the default of a column; returns true when it is NULL and nothing has been appended. */
    private boolean appendDefault(int column, ByteWriter out) {
        if (defaults[column] != null) {
            out.put(defaults[column]);
        }
        return defaults[column] == null;
    }

    private boolean appendField(TextFields record, int field, int column, ByteWriter out) throws BadFieldException {
        byte[] bytes = record.bytes(field);
        int start = record.start(field);
        int end = record.end(field);
        if (!record.isQuoted(field) && (start == end
                || end - start == nullText.length && Arrays.equals(bytes, start, end, nullText, 0, nullText.length))) {
            if (!columns[column].nullable()) {
                throw new BadFieldException(field, columns[column].name(), "23502",
                        "NULL in a column that is NOT NULL");
            }
            return true;
        }
        if (!PlainText.append(types[column], bytes, start, end, out)) {
            appendParsed(field, column, bytes, start, end, out);
        }
        return false;
    }

    private void appendParsed(int field, int column, byte[] bytes, int start, int end, ByteWriter out)
            throws BadFieldException {
        String name = columns[column].name();
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, start, end - start))
                    .toString();
            PackedValues.append(types[column], ValueText.parse(types[column], text), out);
        } catch (CharacterCodingException e) {
            throw new BadFieldException(field, name, "22021", "not UTF-8");
        } catch (ValueException e) {
            throw new BadFieldException(field, name, e.sqlState(), e.getMessage());
        }
    }
}
