package org.daedalus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.statements.SqlText;

/** A query, put together piece by piece. Conditions given in several calls of {@link #where} must all hold. */
public final class Select extends Executable<Select, ResultSet> {
    private final List<Consumer<SqlText>> outputs = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();
    private final List<String> groups = new ArrayList<>();
    private final List<Consumer<SqlText>> orders = new ArrayList<>();
    private long limit = -1;
    private long offset;

    Select(DaedalusClient client, String... columns) {
        super(client, ResultSet.class);
        for (String column : columns) {
            outputs.add(sql -> sql.addColumn(column));
        }
    }

    /** Rows for which all of these hold, and all that were given before. */
    public Select where(Condition... all) {
        conditions.addAll(List.of(all));
        return this;
    }

    /** Gives a row for each combination of these columns' values. */
    public Select groupBy(String... columns) {
        groups.addAll(List.of(columns));
        return this;
    }

    /** count(*), as column "count". */
    public Select countRows() {
        outputs.add(sql -> sql.add("count(*)"));
        return this;
    }

    /** Gives the number of rows in which a column is not NULL, as "count". */
    public Select count(String column) {
        return aggregate("count", column);
    }

    /** Gives the sum of a column, as "sum". */
    public Select sum(String column) {
        return aggregate("sum", column);
    }

    /** Gives the smallest value of a column, as "min". */
    public Select min(String column) {
        return aggregate("min", column);
    }

    /** Gives the largest value of a column, as "max". */
    public Select max(String column) {
        return aggregate("max", column);
    }

    /** Gives the average of a column, as "avg". */
    public Select avg(String column) {
        return aggregate("avg", column);
    }

    /** Names the output that was added last. */
    public Select as(String name) {
        Consumer<SqlText> last = outputs.remove(outputs.size() - 1);
        outputs.add(sql -> {
            last.accept(sql);
            sql.add(" AS " + SqlText.quote(name));
        });
        return this;
    }

    /** Ascending, NULLs last. */
    public Select orderBy(String column) {
        orders.add(sql -> sql.addColumn(column));
        return this;
    }

    /** Descending, NULLs first. */
    public Select orderByDescending(String column) {
        orders.add(sql -> sql.addColumn(column).add(" DESC"));
        return this;
    }

    /** Gives no more rows than that. */
    public Select limit(long rows) {
        if (rows < 0) {
            throw new IllegalArgumentException("limit " + rows);
        }
        limit = rows;
        return this;
    }

    /** Leaves out so many rows at the beginning. */
    public Select offset(long rows) {
        if (rows < 0) {
            throw new IllegalArgumentException("offset " + rows);
        }
        offset = rows;
        return this;
    }

    /**
     * Returns the rows as a stream with back-pressure. Each subscriber asks the query anew; it is called, one signal
     * after the other, on the client's {@link DaedalusClient.Builder#subscriberExecutor}. An error makes the rows
     * before it void. Cancelling aborts the query and frees what was buffered. Rows that have arrived and are not
     * requested are kept up to the client's {@link DaedalusClient.Builder#bufferedBytesMax}; beyond, the answer
     * breaks off as is said there.
     */
    public Flow.Publisher<Row> publish() {
        return rows();
    }

    private Select aggregate(String function, String column) {
        outputs.add(sql -> sql.add(function + "(").addColumn(column).add(")"));
        return this;
    }

    @Override
    CompletableFuture<Request.Content> content() {
        return client.questions().description().thenApply(table -> {
            SqlText sql = new SqlText(table);
            write(sql);
            return Request.Content.of(sql, null);
        });
    }

    private void write(SqlText sql) {
        sql.add("SELECT ");
        if (outputs.isEmpty()) {
            sql.add("*");
        }
        writeList(outputs, sql);
        sql.add(" FROM ").addTable();
        Condition.writeWhere(conditions, sql);
        if (!groups.isEmpty()) {
            sql.add(" GROUP BY ").addColumns(groups);
        }
        if (!orders.isEmpty()) {
            sql.add(" ORDER BY ");
            writeList(orders, sql);
        }
        if (limit >= 0) {
            sql.add(" LIMIT " + limit);
        }
        if (offset > 0) {
            sql.add(" OFFSET " + offset);
        }
    }

    private static void writeList(List<Consumer<SqlText>> pieces, SqlText sql) {
        for (int i = 0; i < pieces.size(); i++) {
            sql.add(i == 0 ? "" : ", ");
            pieces.get(i).accept(sql);
        }
    }
}
