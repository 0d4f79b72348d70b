package org.daedalus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.statements.SqlText;

/** Deletes the rows that satisfy all conditions; all rows when there is none. */
public final class Delete extends Executable<Delete, WriteOutcome> {
    private final List<Condition> conditions = new ArrayList<>();

    Delete(DaedalusClient client) {
        super(client, WriteOutcome.class);
    }

    /** Rows for which all of these hold, and all that were given before. */
    public Delete where(Condition... all) {
        conditions.addAll(List.of(all));
        return this;
    }

    @Override
    CompletableFuture<Request.Content> content() {
        return client.questions().description().thenApply(table -> {
            SqlText sql = new SqlText(table).add("DELETE FROM ").addTable();
            Condition.writeWhere(conditions, sql);
            return Request.Content.of(sql, client.nextSubmission());
        });
    }
}
