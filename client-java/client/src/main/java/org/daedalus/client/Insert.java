package org.daedalus.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.statements.SqlText;

/** Rows to insert, all together, under one timestamp. */
public final class Insert extends Executable<Insert, WriteOutcome> {
    private final List<String> columns;
    private final List<List<Object>> rows = new ArrayList<>();

    Insert(DaedalusClient client, String... columns) {
        super(client, WriteOutcome.class);
        this.columns = List.of(columns);
    }

    /** Adds one more row: a value for each column named in insertInto, or for each of the table when none was. */
    public Insert values(Object... values) {
        if (!columns.isEmpty() && values.length != columns.size()) {
            throw new IllegalArgumentException(values.length + " values for " + columns.size() + " columns");
        }
        rows.add(Arrays.asList(values.clone()));
        return this;
    }

    @Override
    CompletableFuture<Request.Content> content() {
        if (rows.isEmpty()) {
            throw new IllegalStateException("insertInto() without values()");
        }
        return client.questions().description().thenApply(table -> {
            SqlText sql = new SqlText(table).add("INSERT INTO ").addTable();
            if (!columns.isEmpty()) {
                sql.add(" (").addColumns(columns).add(")");
            }
            sql.add(" VALUES ");
            for (int row = 0; row < rows.size(); row++) {
                sql.add(row == 0 ? "(" : ", (");
                for (int column = 0; column < rows.get(row).size(); column++) {
                    sql.add(column == 0 ? "" : ", ").addParameter(rows.get(row).get(column));
                }
                sql.add(")");
            }
            return Request.Content.of(sql, client.nextSubmission());
        });
    }
}
