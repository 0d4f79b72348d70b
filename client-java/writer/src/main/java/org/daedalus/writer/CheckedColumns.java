package org.daedalus.writer;

import org.daedalus.wire.DescribedTable;

/** Finds the columns that an update names by position. */
final class CheckedColumns {
    private CheckedColumns() {}

    static boolean has(DescribedTable table, int position) {
        return position >= 0 && position < table.columns().size();
    }

    /** Returns the column at the position; refuses a position at which there is none. */
    static DescribedTable.Column at(DescribedTable table, int position) throws RefusedUpdateException {
        if (!has(table, position)) {
            throw new RefusedUpdateException("42703", "there is no column " + Integer.toUnsignedString(position));
        }
        return table.columns().get(position);
    }
}
