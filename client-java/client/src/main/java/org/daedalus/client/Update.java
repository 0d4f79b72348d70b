package org.daedalus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.statements.SqlText;

/** A change of the rows that satisfy all conditions; of all rows when there is none. */
public final class Update extends Executable<Update, WriteOutcome> {
    private final List<Consumer<SqlText>> assignments = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();

    Update(DaedalusClient client) {
        super(client, WriteOutcome.class);
    }

    /** Gives the column this value. */
    public Update set(String column, Object value) {
        assignments.add(sql -> sql.addColumn(column).add(" = ").addParameter(value));
        return this;
    }

    /**
     * Adds {@code value}, which may be negative. A row whose value would leave the type's range stays as it is, and the
     * update ends in a {@link RefusedRowsException} after it has changed the others.
     */
    public Update add(String column, Number value) {
        assignments.add(sql -> sql.addColumn(column).add(" = ").addColumn(column).add(" + ").addParameter(value));
        return this;
    }

    /** Rows for which all of these hold, and all that were given before. */
    public Update where(Condition... all) {
        conditions.addAll(List.of(all));
        return this;
    }

    @Override
    CompletableFuture<Request.Content> content() {
        if (assignments.isEmpty()) {
            throw new IllegalStateException("update() without set() or add()");
        }
        return client.questions().description().thenApply(table -> {
            SqlText sql = new SqlText(table).add("UPDATE ").addTable().add(" SET ");
            for (int i = 0; i < assignments.size(); i++) {
                sql.add(i == 0 ? "" : ", ");
                assignments.get(i).accept(sql);
            }
            Condition.writeWhere(conditions, sql);
            return Request.Content.of(sql, client.nextSubmission());
        });
    }
}
