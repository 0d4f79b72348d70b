package org.daedalus.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.TableDescription;
import org.daedalus.client.ValueText;
import org.daedalus.output.Answer;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Distribution;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.PartitionMap;

/** The table as the cluster describes it: what DESCRIBE and \d show. */
final class Description {
    private static final ColumnType TEXT = ColumnType.varcharOf(0);
    private static final List<ResultColumn> HEAD = List.of(new ResultColumn("column", TEXT),
            new ResultColumn("type", TEXT), new ResultColumn("nullable", TEXT), new ResultColumn("default", TEXT),
            new ResultColumn("key", TEXT));

    private Description() {}

    /** Whether a statement is DESCRIBE, which the command line answers itself. */
    static boolean isWanted(String sql) {
        String first = Words.first(sql);
        return first.equals("describe") || first.equals("desc");
    }

    /** The table that a DESCRIBE names; null: none. */
    static String nameIn(String sql) {
        String text = Words.withoutComments(sql);
        String name = text.substring(Words.first(sql).length()).strip();
        return name.isEmpty() ? null : name;
    }

    /** Refuses a name that is not the table's, as the cluster would. */
    static void checkName(TableDescription table, String name) {
        if (name == null) {
            return;
        }
        String plain = name.startsWith("public.") ? name.substring("public.".length()) : name;
        boolean quoted = plain.length() > 1 && plain.startsWith("\"") && plain.endsWith("\"");
        boolean found = quoted
                ? plain.substring(1, plain.length() - 1).replace("\"\"", "\"").equals(table.tableName())
                : plain.equalsIgnoreCase(table.tableName());
        if (!found) {
            throw DaedalusException.of(Error.newBuilder().setCategory(ErrorCategory.ERROR_CATEGORY_REJECTED)
                    .setSqlstate("42P01").setMessage("relation \"" + plain + "\" does not exist")
                    .setHint("the only table here is \"" + table.tableName() + "\"").build());
        }
    }

    /** A row for each column. */
    static Answer columnsOf(TableDescription table) {
        List<String[]> rows = new ArrayList<>();
        for (int index = 0; index < table.columns().size(); index++) {
            TableDescription.Column column = table.columns().get(index);
            rows.add(new String[] {column.name(), column.type().toString(), column.nullable() ? "" : "not null",
                defaultOf(column), keysOf(table.reply(), index)});
        }
        return Answer.of(HEAD, rows);
    }

    /** What is to be said of the table as a whole, for people. */
    static String footOf(TableDescription table) {
        DescribeReply reply = table.reply();
        PartitionMap map = reply.getMap();
        StringBuilder text = new StringBuilder();
        if (reply.getPrimaryKeyCount() > 0) {
            text.append("Primary key: (").append(names(table, reply.getPrimaryKeyList()))
                    .append("), which nothing enforces yet\n");
        }
        text.append("Partitions: ").append(map.getPartitionsCount()).append(" on ").append(map.getNodesCount())
                .append(map.getNodesCount() == 1 ? " storage node, " : " storage nodes, ")
                .append(distribution(table, map.getDistribution(), map.getColumnsList())).append('\n');
        text.append("Segments of each: ")
                .append(distribution(table, map.getSegmentDistribution(), map.getSegmentColumnsList())).append('\n');
        return text.append("Cluster: ").append(reply.getClusterId()).append('\n').toString();
    }

    /** The constant of the DEFAULT clause; NULL where a column without one takes NULL, nothing where it takes none. */
    private static String defaultOf(TableDescription.Column column) {
        if (column.defaultValue() != null) {
            String text = ValueText.format(column.type(), column.defaultValue());
            return column.type().isString() ? "'" + text.replace("'", "''") + "'" : text;
        }
        return column.nullable() ? null : "";
    }

    private static String keysOf(DescribeReply reply, int column) {
        List<String> keys = new ArrayList<>();
        if (reply.getPrimaryKeyList().contains(column)) {
            keys.add("primary key");
        }
        if (reply.getMap().getColumnsList().contains(column)) {
            keys.add("partition");
        }
        if (reply.getMap().getSegmentColumnsList().contains(column)) {
            keys.add("segment");
        }
        return String.join(", ", keys);
    }

    private static String distribution(TableDescription table, Distribution distribution, List<Integer> columns) {
        return switch (distribution) {
            case DISTRIBUTION_HASH -> "by hash(" + names(table, columns) + ")";
            case DISTRIBUTION_DUAL_HASH -> "by dual_hash(" + names(table, columns) + ")";
            default -> "round robin";
        };
    }

    private static String names(TableDescription table, List<Integer> columns) {
        return columns.stream().map(index -> table.columns().get(index).name()).collect(Collectors.joining(", "));
    }
}
