package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * SQL text with parameters $1, $2, ….
 *
 * @param <T> {@link Outcome}, or what the statement is known to end in
 */
public final class Statement<T extends Outcome> extends Executable<Statement<T>, T> {
    private final StatementText text;
    private final ByteString parameters;

    Statement(DaedalusClient client, Class<T> outcome, StatementText text, Object... parameters) {
        super(client, outcome);
        this.text = text;
        this.parameters = ParameterBytes.of(parameters);
    }

    private Statement(Statement<?> original, Class<T> outcome) {
        super(original, outcome);
        this.text = original.text;
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
        if (!text.isQuery()) {
            throw new IllegalArgumentException("only a SELECT has rows to publish: " + text.sql());
        }
        return rows();
    }

    @Override
    Request.Content contentIfKnown() {
        return Request.Content.ofStatement(text, parameters, text.isQuery() ? null : client.nextSubmission());
    }

    @Override
    CompletableFuture<Request.Content> content() {
        return CompletableFuture.completedFuture(contentIfKnown());
    }
}
