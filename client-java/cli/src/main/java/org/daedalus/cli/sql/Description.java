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

/** The table as the cluster describes it: what DESCRIBE and \d show. */
final class Description {
    private static final ColumnType TEXT = ColumnType.varcharOf(0);
    private static final List<ResultColumn> HEAD = List.of(new ResultColumn("column", TEXT),
            new ResultColumn("type", TEXT), new ResultColumn("nullable", TEXT), new ResultColumn("default", TEXT),
            new ResultColumn("key", TEXT));

    private Description() {}

    /** Says whether a statement is DESCRIBE, which the command line answers itself. */
    static boolean isWanted(String sql) {
        String first = Words.first(sql);
        return first.equals("describe") || first.equals("desc");
    }

    /** Returns the table that a DESCRIBE names; null: none. */
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
            throw new DaedalusException(DaedalusException.Category.REJECTED, "42P01", "relation \"" + plain
                    + "\" does not exist; the only table here is \"" + table.tableName() + "\"");
        }
    }

    /** Returns a row for each column. */
    static Answer columnsOf(TableDescription table) {
        List<String[]> rows = new ArrayList<>();
        for (int index = 0; index < table.columns().size(); index++) {
            TableDescription.Column column = table.columns().get(index);
            rows.add(new String[] {column.name(), column.type().toString(), column.nullable() ? "" : "not null",
                defaultOf(column), keysOf(table, index)});
        }
        return Answer.of(HEAD, rows);
    }

    /** Says of the table as a whole what people want to know. */
    static String footOf(TableDescription table) {
        StringBuilder text = new StringBuilder();
        if (!table.primaryKey().isEmpty()) {
            text.append("Primary key: (").append(names(table, table.primaryKey()))
                    .append("), which nothing enforces yet\n");
        }
        text.append("Partitions: ").append(table.partitionCount()).append(" on ").append(table.nodeCount())
                .append(table.nodeCount() == 1 ? " storage node, " : " storage nodes, ")
                .append(distribution(table, table.partitionedBy())).append('\n');
        text.append("Segments of each: ").append(distribution(table, table.segmentedBy())).append('\n');
        return text.append("Cluster: ").append(table.clusterId()).append('\n').toString();
    }

    /**
     * Returns the constant of the DEFAULT clause; NULL where a column without one takes NULL, nothing where it takes
     * none.
     */
    private static String defaultOf(TableDescription.Column column) {
        if (column.defaultValue() != null) {
            String text = ValueText.format(column.type(), column.defaultValue());
            return column.type().isString() ? "'" + text.replace("'", "''") + "'" : text;
        }
        return column.nullable() ? null : "";
    }

    private static String keysOf(TableDescription table, int column) {
        List<String> keys = new ArrayList<>();
        if (table.primaryKey().contains(column)) {
            keys.add("primary key");
        }
        if (table.partitionedBy().columns().contains(column)) {
            keys.add("partition");
        }
        if (table.segmentedBy().columns().contains(column)) {
            keys.add("segment");
        }
        return String.join(", ", keys);
    }

    private static String distribution(TableDescription table, TableDescription.Distribution distribution) {
        return switch (distribution.kind()) {
            case HASH -> "by hash(" + names(table, distribution.columns()) + ")";
            case DUAL_HASH -> "by dual_hash(" + names(table, distribution.columns()) + ")";
            case ROUND_ROBIN -> "round robin";
        };
    }

    private static String names(TableDescription table, List<Integer> columns) {
        return columns.stream().map(index -> table.columns().get(index).name()).collect(Collectors.joining(", "));
    }
}
