package org.daedalus.wire;

import java.util.List;

/**
 * Rows in the packed layout (docs/wire.md, "Packed rows"): appends them, and reads them back one after the other. NULL
 * is
 * null here. Not thread-safe.
 */
public final class PackedRows {
    /** Largest row, bytes. */
    public static final int ROW_SIZE_MAX = 1 << 20;

    private static final int SIZE_FIELD = 4;

    private final ColumnType[] types;
    private final PackedReader in;
    private final int end;

    private PackedRows(List<ColumnType> types, PackedReader in, int end) {
        this.types = types.toArray(ColumnType[]::new);
        this.in = in;
        this.end = end;
    }

    /** Reads {@code rows} of a table, whose columns are {@code types}. */
    public PackedRows(List<ColumnType> types, ByteRange rows) {
        this(types, new PackedReader(rows), rows.end());
    }

    /** Reads {@code rows} of an answer, whose timestamps may lie before Christ. */
    public static PackedRows ofAnswer(List<ColumnType> types, ByteRange rows) {
        return new PackedRows(types, PackedReader.ofComputed(rows), rows.end());
    }

    public boolean hasNext() {
        return in.at() < end;
    }

    /** Returns the next row's values. */
    public Object[] next() throws WireException {
        int nulls = beginRow();
        Object[] values = new Object[types.length];
        for (int column = 0; column < values.length; column++) {
            if (!isNull(nulls, column)) {
                values[column] = in.read(types[column]);
            }
        }
        for (int bit = types.length; bit < 8 * nullBytes(types.length); bit++) {
            if (isNull(nulls, bit)) {
                throw new WireException("packed row has a NULL bit beyond its last column");
            }
        }
        if (in.remaining() > 0) {
            throw new WireException("packed row has " + in.remaining() + " bytes too many");
        }
        return values;
    }

    /** Goes to the next row's values, which end with the row; returns where its NULL bits are. */
    private int beginRow() throws WireException {
        in.endAt(end);
        if (in.remaining() < SIZE_FIELD) {
            throw new WireException("packed row is cut short");
        }
        int size = in.readInt();
        if (size < nullBytes(types.length) || size > ROW_SIZE_MAX || size > in.remaining()) {
            throw new WireException("packed row of " + Integer.toUnsignedString(size) + " bytes, " + in.remaining()
                    + " left");
        }
        int nulls = in.at();
        in.endAt(nulls + size);
        in.skip(nullBytes(types.length));
        return nulls;
    }

    private boolean isNull(int nulls, int column) {
        return (in.byteAt(nulls + column / 8) >> (column % 8) & 1) != 0;
    }

    /**
     * Appends one row.
     *
     * @param values one for each type, null for NULL
     * @throws IllegalArgumentException when a value does not fit; nothing has been written then
     */
    public static void append(List<ColumnType> types, Object[] values, ByteWriter out) {
        if (values.length != types.size()) {
            throw new IllegalArgumentException(values.length + " values for " + types.size() + " columns");
        }
        int start = out.size();
        begin(values.length, out);
        try {
            for (int column = 0; column < values.length; column++) {
                if (values[column] == null) {
                    out.setBit(start + 4, column);
                } else {
                    PackedValues.append(types.get(column), values[column], out);
                }
            }
            end(start, out);
        } catch (IllegalArgumentException e) {
            out.truncate(start);
            throw e;
        }
    }

    /** Starts a row whose values are appended next; NULL is a bit set at 4 bytes after the row's start. */
    public static void begin(int columnCount, ByteWriter out) {
        out.putZeros(4 + nullBytes(columnCount));
    }

    /**
     * Ends the row that was begun at {@code start}.
     *
     * @throws IllegalArgumentException when it is too large
     */
    public static void end(int start, ByteWriter out) {
        int size = out.size() - start - 4;
        if (size > ROW_SIZE_MAX) {
            throw new IllegalArgumentException("row of " + size + " bytes exceeds " + ROW_SIZE_MAX);
        }
        out.setInteger(start, size, 4);
    }

    /** The most bytes a row of these columns takes, its size field included. */
    public static int sizeMax(List<ColumnType> types) {
        long size = 4L + nullBytes(types.size());
        for (ColumnType type : types) {
            size += PackedValues.sizeMax(type);
        }
        return (int) Math.min(size, 4L + ROW_SIZE_MAX);
    }

    private static int nullBytes(int columnCount) {
        return (columnCount + 7) / 8;
    }
}
