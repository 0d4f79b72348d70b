package org.daedalus.writer;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Constants;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.ColumnEquality;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.Route;

/**
 * Checks the routes of an update as aggregators do, who cannot refuse a numbered one for good: every node waits for its
 * number. Whether routes are those of the update's parts is for whoever made them to see to.
 */
final class RouteChecker {
    private final DescribedTable table;
    private final List<Integer> mapColumns;
    private final long rowsMax;

    RouteChecker(DescribedTable table) {
        this.table = table;
        this.mapColumns = table.reply().getMap().getColumnsList();
        this.rowsMax = Integer.toUnsignedLong(table.reply().getLimits().getUpdateRowsMax());
    }

    /** Refuses what no aggregator could follow. */
    void check(List<Route> routes) throws RefusedUpdateException {
        for (Route route : routes) {
            Set<Integer> seen = new HashSet<>();
            for (ColumnEquality equality : route.getEqualitiesList()) {
                checkEquality(equality, seen);
            }
            checkRows(route);
        }
    }

    private void checkEquality(ColumnEquality equality, Set<Integer> seen) throws RefusedUpdateException {
        int position = equality.getColumn();
        if (!CheckedColumns.has(table, position)) {
            throw malformed("there is no column at position " + Integer.toUnsignedString(position));
        }
        DescribedTable.Column column = table.columns().get(position);
        if (!seen.add(position)) {
            throw malformed("column \"" + column.name() + "\" is named twice");
        }
        if (equality.getValuesCount() == 0) {
            throw malformed("no values for column \"" + column.name() + "\"");
        }
        if (mapColumns.contains(position)) {
            for (Constant constant : equality.getValuesList()) {
                checkConstant(column, constant);
            }
        }
    }

    private static void checkConstant(DescribedTable.Column column, Constant constant) throws RefusedUpdateException {
        try {
            ColumnType type = WireTypes.read(constant.getType());
            if (!type.equals(column.type())) {
                throw malformed("a value of type " + type + " for column \"" + column.name() + "\" of type "
                        + column.type());
            }
            Constants.toValue(constant);
        } catch (WireException e) {
            throw malformed("column \"" + column.name() + "\": " + e.getMessage());
        }
    }

    private void checkRows(Route route) throws RefusedUpdateException {
        long first = Integer.toUnsignedLong(route.getFirstOrdinal());
        long end = first + Integer.toUnsignedLong(route.getRowCount());
        if (mapColumns.isEmpty() && end > first && end > rowsMax) {
            throw malformed("rows " + first + " to " + (end - 1) + ", an update has at most " + rowsMax);
        }
    }

    private static RefusedUpdateException malformed(String what) {
        return new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "route: " + what);
    }
}
