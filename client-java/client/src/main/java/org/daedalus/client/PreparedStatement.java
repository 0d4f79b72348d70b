package org.daedalus.client;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.statements.StatementText;

/**
 * One SQL statement with parameters $1, $2, …, to be executed many times with other values. Thread-safe; one serves a
 * whole process, whatever happens to connections.
 *
 * <p>On every connection its text travels once, before its first use there, and then the values alone; so does a text
 * that is given to {@link DaedalusClient#query(String, Object...)} and the like again and again. What a prepared
 * statement saves beyond that is encoding its text and looking at it. It takes up nothing in the cluster that would
 * have to be given back: there is nothing to close.
 */
public final class PreparedStatement {
    private final DaedalusClient client;
    private final StatementText text;

    PreparedStatement(DaedalusClient client, String sql) {
        this.client = client;
        this.text = new StatementText(Objects.requireNonNull(sql, "sql"));
    }

    /** Returns the statement's text. */
    public String sql() {
        return text.sql();
    }

    /** Returns the statement with these values, to be given options and sent; as {@link DaedalusClient#statement}. */
    public Statement<Outcome> bind(Object... parameters) {
        return new Statement<>(client, Outcome.class, text, parameters);
    }

    /** Sends the statement, reading or writing, with these values. */
    public CompletableFuture<Outcome> execute(Object... parameters) {
        return bind(parameters).executeAsync();
    }

    /** Sends the statement, a SELECT, with these values. */
    public CompletableFuture<ResultSet> query(Object... parameters) {
        return new Statement<>(client, ResultSet.class, text, parameters).executeAsync();
    }

    /** Sends the statement, an INSERT, UPDATE or DELETE, with these values. */
    public CompletableFuture<WriteOutcome> update(Object... parameters) {
        return new Statement<>(client, WriteOutcome.class, text, parameters).executeAsync();
    }

    @Override
    public String toString() {
        return text.sql();
    }
}
