package org.daedalus.wire;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.v1.DescribeReply;

/** A table as a cluster describes it, its types and defaults read: for whoever checks or packs rows and constants. */
public final class DescribedTable {
    /**
     * One column.
     *
     * @param defaultValue the DEFAULT clause's constant; null where there is none or it is NULL
     */
    public record Column(String name, ColumnType type, boolean nullable, Object defaultValue) {}

    private final DescribeReply reply;
    private final List<Column> columns;

    private DescribedTable(DescribeReply reply, List<Column> columns) {
        this.reply = reply;
        this.columns = columns;
    }

    /** Reads an answer to DESCRIBE; refuses types that docs/wire.md does not define. */
    public static DescribedTable of(DescribeReply reply) throws WireException {
        List<Column> columns = new ArrayList<>(reply.getColumnsCount());
        for (org.daedalus.wire.v1.Column column : reply.getColumnsList()) {
            Object value = column.hasDefaultValue() ? Constants.toValue(column.getDefaultValue()) : null;
            columns.add(new Column(column.getName(), WireTypes.read(column.getType()), column.getNullable(), value));
        }
        return new DescribedTable(reply, List.copyOf(columns));
    }

    /** Returns the columns in the order of the table. */
    public List<Column> columns() {
        return columns;
    }

    /** Returns the type of each column. */
    public List<ColumnType> types() {
        return columns.stream().map(Column::type).toList();
    }

    /** Everything it said, as it came: map and limits, too. */
    public DescribeReply reply() {
        return reply;
    }
}
