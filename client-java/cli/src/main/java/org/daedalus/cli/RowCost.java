package org.daedalus.cli;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;

/**
 * Computes what a row of a table takes in a segment, before there is any. Values lie in columns of their declared
 * width, strings of their declared length; each has a byte of a sketch beside it, and so has each row for every column,
 * up to 64.
 *
 * @param bytes of memory a row
 * @param columns of the table
 */
public record RowCost(double bytes, List<Column> columns) {
    private static final int ROW_SKETCH_MAX = 64;
    private static final int LONG_SIZE = 8;
    private static final int LONGEST_SHOWN = 3;
    private static final double BIT = 1.0 / 8;

    /** The properties of a column that the cost depends on. */
    public record Column(String name, ColumnType type, boolean nullable) {
        private int width() {
            return switch (type.kind()) {
                case BOOL -> 1;
                case SMALLINT -> 2;
                case INT, REAL, DATE -> 4;
                case UUID -> 2 * LONG_SIZE;
                case NUMERIC -> type.precision() <= ColumnType.SHORT_NUMERIC_PRECISION_MAX ? LONG_SIZE : 2 * LONG_SIZE;
                case CHAR, VARCHAR -> type.length();
                default -> LONG_SIZE;
            };
        }

        private boolean isString() {
            return type.kind() == Kind.CHAR || type.kind() == Kind.VARCHAR;
        }
    }

    /** Computes the cost for a table with these columns. */
    public static RowCost of(List<Column> columns) {
        double bytes = BIT; // One bit says whether the row is there.
        int sketch = 1;
        while (sketch < Math.min(columns.size(), ROW_SKETCH_MAX)) {
            sketch *= 2;
        }
        for (Column column : columns) {
            bytes += column.width() + 1 + (column.nullable() ? BIT : 0);
        }
        return new RowCost(bytes + sketch, List.copyOf(columns));
    }

    /** Explains the cost where strings take most of a row; empty where they do not. */
    public String noteOnStrings() {
        int strings = columns.stream().filter(Column::isString).mapToInt(Column::width).sum();
        if (2 * strings <= bytes) {
            return "";
        }
        String longest = columns.stream().filter(Column::isString)
                .sorted(Comparator.comparingInt(Column::width).reversed()).limit(LONGEST_SHOWN)
                .map(column -> column.name() + " " + column.type()).collect(Collectors.joining(", "));
        return String.format("strings take %,d of the %,.0f bytes of a row (%s): each has its declared length in every "
                + "row, whatever is in it; declare no more than is needed", strings, bytes, longest);
    }
}
