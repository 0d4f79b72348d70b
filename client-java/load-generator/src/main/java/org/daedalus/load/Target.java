package org.daedalus.load;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.ResultSet;
import org.daedalus.client.WriteOutcome;
import org.daedalus.workload.SqlStatement;

/** Requests of one kind are sent to this: a cluster, or what a test puts in its place. */
interface Target {
    /**
     * Sends one request and returns at once. The future, of the rows that were answered or changed, completes when the
     * whole answer is here; it ends in a {@link org.daedalus.client.DaedalusException} otherwise.
     */
    CompletableFuture<Long> send(SqlStatement statement);

    /** Returns a cluster that is asked; an answer is of use for {@code deadline} after its query was sent. */
    static Target queries(DaedalusClient client, Duration deadline) {
        Prepared prepared = new Prepared(client);
        return query -> rowsOf(prepared.of(query.text()).bind(query.parameterArray()).asQuery().timeout(deadline)
                .executeAsync());
    }

    /** Returns a cluster that is asked, with the client's own deadline. */
    static Target queries(DaedalusClient client) {
        Prepared prepared = new Prepared(client);
        return query -> rowsOf(prepared.of(query.text()).query(query.parameterArray()));
    }

    /** Returns a cluster that is told. */
    static Target updates(DaedalusClient client, Duration deadline) {
        Prepared prepared = new Prepared(client);
        return update -> prepared.of(update.text()).bind(update.parameterArray()).asUpdate().timeout(deadline)
                .executeAsync().thenApply(WriteOutcome::applied);
    }

    private static CompletableFuture<Long> rowsOf(CompletableFuture<ResultSet> answer) {
        return answer.thenCompose(ResultSet::whole).thenApply(whole -> {
            long rows = whole.rowCount();
            whole.close();
            return rows;
        });
    }
}
