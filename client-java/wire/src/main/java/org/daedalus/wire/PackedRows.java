package org.daedalus.wire;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Rows in the packed layout (docs/wire.md, "Packed rows"): appends them, and reads them back one after the other. NULL
 * is
 * null here. Not thread-safe.
 */
public final class PackedRows {
    /** Largest row, bytes. */
    public static final int ROW_SIZE_MAX = 1 << 20;

    private final List<ColumnType> types;
    private final ByteBuffer rest;

    /** Reads {@code rows}, whose columns are {@code types}. */
    public PackedRows(List<ColumnType> types, ByteString rows) {
        this.types = types;
        this.rest = rows.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    public boolean hasNext() {
        return rest.hasRemaining();
    }

    /** The next row's values. */
    public Object[] next() throws WireException {
        if (rest.remaining() < 4) {
            throw new WireException("packed row is cut short");
        }
        int size = rest.getInt();
        int nullBytes = nullBytes(types.size());
        if (size < nullBytes || size > ROW_SIZE_MAX || size > rest.remaining()) {
            throw new WireException("packed row of " + Integer.toUnsignedString(size) + " bytes, " + rest.remaining()
                    + " left");
        }
        ByteBuffer row = rest.slice(rest.position(), size).order(ByteOrder.LITTLE_ENDIAN);
        rest.position(rest.position() + size);
        row.position(nullBytes);
        Object[] values = new Object[types.size()];
        for (int column = 0; column < values.length; column++) {
            if ((row.get(column / 8) >> (column % 8) & 1) == 0) {
                values[column] = PackedValues.read(types.get(column), row);
            }
        }
        for (int bit = types.size(); bit < 8 * nullBytes; bit++) {
            if ((row.get(bit / 8) >> (bit % 8) & 1) != 0) {
                throw new WireException("packed row has a NULL bit beyond its last column");
            }
        }
        if (row.hasRemaining()) {
            throw new WireException("packed row has " + row.remaining() + " bytes too many");
        }
        return values;
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
