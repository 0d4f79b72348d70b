package org.daedalus.client;

import java.util.List;
import java.util.Optional;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.DescribeReply;

/** A cluster's table, as the cluster describes it. */
public final class TableDescription {
    /**
     * One column.
     *
     * @param defaultValue the DEFAULT clause's constant; null where there is none or it is NULL
     */
    public record Column(String name, ColumnType type, boolean nullable, Object defaultValue) {}

    /**
     * The bounds of one operation; 0 where the cluster does not say.
     *
     * @param updateRowsMax rows of one INSERT or one {@link RowBatch}
     * @param updateBytesMax bytes of one update: {@link RowBatch#sizeBytes} and some more
     * @param statementBytesMax bytes of one statement's text
     * @param answerBytesMax bytes of one answer
     * @param groupsMax groups of one GROUP BY
     * @param literalsMax constants that one condition compares columns with
     */
    public record Limits(int updateRowsMax, int updateBytesMax, int statementBytesMax, long answerBytesMax,
            int groupsMax, int literalsMax) {}

    /**
     * The rule that decides where a row lies.
     *
     * @param columns positions of the columns whose values decide; none where rows go round robin
     */
    public record Distribution(Kind kind, List<Integer> columns) {
        /** The rule. */
        public enum Kind { ROUND_ROBIN, HASH, DUAL_HASH }
    }

    private final DescribeReply reply;
    private final List<Column> columns;

    private TableDescription(DescribedTable table) {
        this.reply = table.reply();
        this.columns = table.columns().stream().map(each ->
                new Column(each.name(), each.type(), each.nullable(), each.defaultValue())).toList();
    }

    /** Reads an answer to DESCRIBE; refuses types that docs/wire.md does not define. */
    static TableDescription of(DescribeReply reply) throws WireException {
        return new TableDescription(DescribedTable.of(reply));
    }

    /** Returns the table's name. */
    public String tableName() {
        return reply.getTableName();
    }

    /** Returns the columns in the order of the table. */
    public List<Column> columns() {
        return columns;
    }

    /** Returns the columns' types, in the order of the table. */
    public List<ColumnType> types() {
        return columns.stream().map(Column::type).toList();
    }

    /** Returns the cluster that has the table. */
    public String clusterId() {
        return reply.getClusterId();
    }

    /** Positions of the columns of PRIMARY KEY, which nothing enforces yet; none where there is no such clause. */
    public List<Integer> primaryKey() {
        return List.copyOf(reply.getPrimaryKeyList());
    }

    /** Storage nodes that have partitions of the table. */
    public int nodeCount() {
        return reply.getMap().getNodesCount();
    }

    /** Partitions of the table, on all nodes. */
    public int partitionCount() {
        return reply.getMap().getPartitionsCount();
    }

    /** Returns the rule that decides the partition of a row. */
    public Distribution partitionedBy() {
        return distribution(reply.getMap().getDistribution(), reply.getMap().getColumnsList());
    }

    /** Returns the rule that decides the segment of a row within its partition. */
    public Distribution segmentedBy() {
        return distribution(reply.getMap().getSegmentDistribution(), reply.getMap().getSegmentColumnsList());
    }

    private static Distribution distribution(org.daedalus.wire.v1.Distribution kind, List<Integer> columns) {
        return new Distribution(switch (kind) {
            case DISTRIBUTION_HASH -> Distribution.Kind.HASH;
            case DISTRIBUTION_DUAL_HASH -> Distribution.Kind.DUAL_HASH;
            default -> Distribution.Kind.ROUND_ROBIN;
        }, List.copyOf(columns));
    }

    /** Returns the bounds of one operation. */
    public Limits limits() {
        org.daedalus.wire.v1.Limits limits = reply.getLimits();
        return new Limits(limits.getUpdateRowsMax(), limits.getUpdateBytesMax(), limits.getStatementBytesMax(),
                limits.getAnswerBytesMax(), limits.getGroupsMax(), limits.getLiteralsMax());
    }

    /**
     * Returns the position of the column with exactly this name or, failing that, the only one that differs in case
     * alone.
     */
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

    /** Everything it said, as it came. */
    DescribeReply reply() {
        return reply;
    }

    @Override
    public String toString() {
        return tableName() + columns;
    }
}
