package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.statements.ParameterBytes;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.v1.StatementBody;

/**
 * SQL text with parameters $1, $2, ….
 *
 * @param <T> {@link Outcome}, or what the statement is known to end in
 */
public final class Statement<T extends Outcome> extends Executable<Statement<T>, T> {
    private final StatementText text;
    private final ByteString parameters;
    private String timeZone = "";

    Statement(DaedalusClient client, Class<T> outcome, StatementText text, Object... parameters) {
        super(client, outcome);
        this.text = text;
        this.parameters = ParameterBytes.of(parameters);
    }

    private Statement(Statement<?> original, Class<T> outcome) {
        super(original, outcome);
        this.text = original.text;
        this.parameters = original.parameters;
        this.timeZone = original.timeZone;
    }

    /**
     * Sets the zone of the clocks by which the statement reads and shows timestamptz values: a name such as
     * Europe/Zurich, or what SET TIME ZONE takes otherwise. Without it they are in UTC. A {@link Row}'s Instant is the
     * same in every zone.
     */
    public Statement<T> timeZone(String zone) {
        timeZone = Objects.requireNonNull(zone);
        return this;
    }

    /** Returns a copy, options included, that expects rows, for a statement that is known to be a SELECT. */
    public Statement<ResultSet> asQuery() {
        return new Statement<>(this, ResultSet.class);
    }

    /** Returns a copy, options included, for a statement that is known to be an INSERT, UPDATE or DELETE. */
    public Statement<WriteOutcome> asUpdate() {
        return new Statement<>(this, WriteOutcome.class);
    }

    /**
     * Returns the rows of a SELECT as a stream with back-pressure; as {@link Select#publish}. Refuses to send anything
     * else.
     */
    public Flow.Publisher<Row> publish() {
        if (!text.isQuery()) {
            throw new IllegalArgumentException("only a SELECT has rows to publish: " + text.sql());
        }
        return rows();
    }

    @Override
    Request.Content contentIfKnown() {
        ByteString body = timeZone.isEmpty() ? parameters : parameters.concat(
                StatementBody.newBuilder().setTimeZone(timeZone).build().toByteString());
        return Request.Content.ofStatement(text, body, text.isQuery() ? null : client.nextSubmission());
    }

    @Override
    CompletableFuture<Request.Content> content() {
        return CompletableFuture.completedFuture(contentIfKnown());
    }
}
