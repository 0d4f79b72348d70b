package org.daedalus.client;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.daedalus.wire.v1.Constant;

/**
 * SQL text with parameters $1, $2, ….
 *
 * @param <T> {@link Outcome}, or what the statement is known to end in
 */
public final class Statement<T extends Outcome> extends Executable<Statement<T>, T> {
    private final String sql;
    private final List<Constant> parameters;

    Statement(DaedalusClient client, Class<T> outcome, String sql, Object... parameters) {
        super(client, outcome);
        this.sql = sql;
        this.parameters = Arrays.stream(parameters).map(Parameters::of).toList();
    }

    private Statement(Statement<?> original, Class<T> outcome) {
        super(original, outcome);
        this.sql = original.sql;
        this.parameters = original.parameters;
    }

    /** The same, options included, for a statement that is known to be a SELECT. */
    public Statement<ResultSet> asQuery() {
        return new Statement<>(this, ResultSet.class);
    }

    /** The same, options included, for a statement that is known to be an INSERT, UPDATE or DELETE. */
    public Statement<WriteOutcome> asUpdate() {
        return new Statement<>(this, WriteOutcome.class);
    }

    /**
     * The rows of a SELECT as a stream with back-pressure; as {@link Select#publish}. Refuses to send anything else.
     */
    public Flow.Publisher<Row> publish() {
        if (!SqlText.isQuery(sql)) {
            throw new IllegalArgumentException("only a SELECT has rows to publish: " + sql);
        }
        return rows();
    }

    @Override
    CompletableFuture<Request.Content> content() {
        return CompletableFuture.completedFuture(
                SqlText.content(sql, parameters, SqlText.isQuery(sql) ? null : client.nextSubmission()));
    }
}
