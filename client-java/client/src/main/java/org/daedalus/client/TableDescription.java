package org.daedalus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Constants;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.DescribeReply;

/**
 * What a cluster says of its table.
 *
 * @param reply everything else it said, as it came
 */
public record TableDescription(String tableName, List<Column> columns, DescribeReply reply) {
    /**
     * One column.
     *
     * @param defaultValue the DEFAULT clause's constant; null where there is none or it is NULL
     */
    public record Column(String name, ColumnType type, boolean nullable, Object defaultValue) {}

    /** Reads an answer to DESCRIBE; refuses types that docs/wire.md does not define. */
    public static TableDescription of(DescribeReply reply) throws WireException {
        List<Column> columns = new ArrayList<>(reply.getColumnsCount());
        for (org.daedalus.wire.v1.Column column : reply.getColumnsList()) {
            Object value = column.hasDefaultValue() ? Constants.toValue(column.getDefaultValue()) : null;
            ColumnType type = ColumnType.fromWire(column.getType());
            columns.add(new Column(column.getName(), type, column.getNullable(), value));
        }
        return new TableDescription(reply.getTableName(), List.copyOf(columns), reply);
    }

    public List<ColumnType> types() {
        return columns.stream().map(Column::type).toList();
    }

    /** The position of the column with exactly this name or, failing that, the only one that differs in case alone. */
    public Optional<Integer> find(String name) {
        Integer found = null;
        boolean ambiguous = false;
        for (int index = 0; index < columns.size(); index++) {
            if (columns.get(index).name().equals(name)) {
                return Optional.of(index);
            }
            if (columns.get(index).name().equalsIgnoreCase(name)) {
                ambiguous = found != null;
                found = index;
            }
        }
        return ambiguous ? Optional.empty() : Optional.ofNullable(found);
    }
}
