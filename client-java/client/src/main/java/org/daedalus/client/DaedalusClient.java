package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.daedalus.channel.Endpoint;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.client.internal.answers.BufferSpace;
import org.daedalus.client.internal.sending.Connections;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.BuildVersion;
import org.daedalus.wire.v1.SubmissionId;

/**
 * The way into a cluster: asks queries, submits updates. Knows no schema before it is told one by the cluster.
 * Thread-safe; one instance serves a whole process.
 *
 * <p>Connections to all aggregators are made in the background and made again when they are lost. Every request has a
 * deadline; every failure is a {@link DaedalusException} with a category that says what to do.
 */
public final class DaedalusClient implements AutoCloseable {
    /** This library's version. */
    public static final String VERSION = BuildVersion.VERSION;

    static {
        ClientAccess.set(new InternalAccess());
    }

    private static final int NAME_SIZE_MAX = 128;
    private static final int CLIENT_ID_SIZE = 16;

    private final Connections connections;
    private final Duration requestTimeout;
    private final String principal;
    private final ByteString clientId;
    private final AtomicLong nextSubmission = new AtomicLong(1);
    private final ClusterQuestions questions;

    private DaedalusClient(Builder options) {
        byte[] id = new byte[CLIENT_ID_SIZE];
        new SecureRandom().nextBytes(id);
        clientId = ByteString.copyFrom(id);
        requestTimeout = options.requestTimeout;
        principal = options.principal;
        connections = new Connections(options.forConnections());
        questions = new ClusterQuestions(connections, requestTimeout);
    }

    /** Returns the way to a client. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects a client's options; only the aggregators have no default. */
    public static final class Builder {
        List<String> aggregators = List.of();
        private int inFlightMax = 8_192;
        private long bufferedBytesMax = BufferSpace.usualBytesMax(Runtime.getRuntime().maxMemory());
        private boolean repeatsRefused = true;
        /** The JDK's choice for tasks that nobody waits for: the common pool where that has several threads. */
        private Executor subscriberExecutor = new CompletableFuture<Void>().defaultExecutor();
        private String clusterId = "";
        private ConnectionListener connectionListener = new ConnectionListener() {};
        private String name = "client-java";
        private Duration requestTimeout = Duration.ofSeconds(30);
        private String principal = "";

        private Builder() {}

        /** host:port of one or several; requests take them in turn. */
        public Builder aggregators(String... endpoints) {
            aggregators = List.of(endpoints);
            aggregators.forEach(Endpoint::parse);
            return this;
        }

        /** Sets how long an answer is of use, unless a request says otherwise. */
        public Builder requestTimeout(Duration limit) {
            requestTimeout = Objects.requireNonNull(limit);
            return this;
        }

        /**
         * Bounds the requests in flight, over all aggregators; one more fails at once with RETRY. An aggregator takes
         * 4,096 of one client; what exceeds that waits in the client.
         */
        public Builder inFlightMax(int requests) {
            if (requests < 1) {
                throw new IllegalArgumentException("inFlightMax " + requests);
            }
            inFlightMax = requests;
            return this;
        }

        /**
         * Bounds the bytes of answers that may wait to be read. By default these are 256 MiB, or a quarter of the
         * largest heap where that is less. An answer for whose rows there is no room is aborted: with REJECTED (54000)
         * where it has more than half of the bytes alone, else with RETRY (53200).
         */
        public Builder bufferedBytesMax(long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("bufferedBytesMax " + bytes);
            }
            bufferedBytesMax = bytes;
            return this;
        }

        /**
         * Says whether the client asks again when the cluster refuses something because it is full (RETRY with an
         * SQLSTATE of class 53), later and later until the deadline; otherwise it reports the refusal at once. The
         * default is to ask again.
         */
        public Builder repeatRefused(boolean repeat) {
            repeatsRefused = repeat;
            return this;
        }

        /** Calls the subscribers of {@link Select#publish} and the like; the default is the JDK's common pool. */
        public Builder subscriberExecutor(Executor executor) {
            subscriberExecutor = Objects.requireNonNull(executor);
            return this;
        }

        /**
         * The only cluster this client may speak to. Without it, a client whose connections were all lost goes on with
         * whichever cluster answers then.
         */
        public Builder clusterId(String id) {
            clusterId = Objects.requireNonNull(id);
            return this;
        }

        /** Is told when connections are made, lost and made again. */
        public Builder connectionListener(ConnectionListener listener) {
            connectionListener = Objects.requireNonNull(listener);
            return this;
        }

        /** Says who asks, for the cluster's logs; at most 128 bytes. */
        public Builder principal(String who) {
            principal = checkedName("principal", who);
            return this;
        }

        /** Names this process in the cluster's logs. */
        public Builder name(String text) {
            name = checkedName("name", text);
            return this;
        }

        private Connections.Options forConnections() {
            return new Connections.Options(name, aggregators, inFlightMax, bufferedBytesMax, repeatsRefused, clusterId,
                    connectionListener, subscriberExecutor);
        }

        /** Starts to connect and returns at once. */
        public DaedalusClient build() {
            if (aggregators.isEmpty()) {
                throw new IllegalArgumentException("no aggregators given");
            }
            return new DaedalusClient(this);
        }
    }

    /**
     * Completes when a first aggregator is connected, or none can be reached: latency that is measured from then on has
     * no setting up of connections in it. Never fails: what is asked afterwards says what is wrong.
     */
    public CompletableFuture<Void> firstContact() {
        return connections.firstContact();
    }

    /** Sends one SQL statement, reading or writing. */
    public CompletableFuture<Outcome> execute(String sql, Object... parameters) {
        return statement(sql, parameters).executeAsync();
    }

    /** Sends one SELECT. */
    public CompletableFuture<ResultSet> query(String sql, Object... parameters) {
        return new Statement<>(this, ResultSet.class, new StatementText(sql), parameters).executeAsync();
    }

    /** Sends one INSERT, UPDATE or DELETE. */
    public CompletableFuture<WriteOutcome> update(String sql, Object... parameters) {
        return new Statement<>(this, WriteOutcome.class, new StatementText(sql), parameters).executeAsync();
    }

    /** Returns one SQL statement, to be given options and sent. */
    public Statement<Outcome> statement(String sql, Object... parameters) {
        return new Statement<>(this, Outcome.class, new StatementText(sql), parameters);
    }

    /**
     * Returns one SQL statement with parameters $1, $2, …, to be executed many times with other values. Asks the
     * cluster nothing, and never fails: what is wrong with the text is said when it is executed.
     */
    public PreparedStatement prepare(String sql) {
        return new PreparedStatement(this, sql);
    }

    /** Returns a query of these columns, in this order; without any and without aggregates, of all columns. */
    public Select select(String... columns) {
        return new Select(this, columns);
    }

    /** Rows with values for these columns; the others take their defaults. */
    public Insert insertInto(String... columns) {
        return new Insert(this, columns);
    }

    /** Returns an UPDATE of the rows that its conditions select. */
    public Update update() {
        return new Update(this);
    }

    /** Returns a DELETE of the rows that its conditions select. */
    public Delete deleteFrom() {
        return new Delete(this);
    }

    /** Returns an empty batch of rows for {@code table}, as {@link #describe()} gave it. */
    public RowBatch rowBatch(TableDescription table) {
        return new RowBatch(this, table);
    }

    /** Returns an update without effect, to learn whether the writer remembers {@code name}. */
    public SubmissionProbe submissionProbe(TableDescription table, SubmissionName name) {
        return new SubmissionProbe(this, table, name);
    }

    /**
     * Returns the cluster's table. Asked for once, and again when the cluster turns out to be another one or to have
     * another partition map.
     */
    public CompletableFuture<TableDescription> describe() {
        return questions.description().copy();
    }

    /** Takes the latest moment that the cluster knows, to ask several queries at it; to be closed. */
    public CompletableFuture<ReadView> readView() {
        return ReadView.take(connections, connections.nowNs() + requestTimeout.toNanos());
    }

    /**
     * Returns the epoch of the writer, as far as this client has heard; 0: nothing yet. An update that is confirmed was
     * submitted in this epoch or an earlier one.
     */
    public long writerEpoch() {
        return connections.writerEpoch();
    }

    /** Asks how the cluster is, as seen by one aggregator. */
    public CompletableFuture<ClusterStatus> status() {
        return questions.status().thenApply(ClusterStatus::of);
    }

    /**
     * Waits for one of this client's futures; throws {@link DaedalusException}. Not from a callback of such a future.
     */
    public <T> T await(CompletableFuture<T> future) {
        if (connections.inNetworkThread() && !future.isDone()) {
            throw new IllegalStateException("a callback of the client must not wait for an answer");
        }
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            boolean mayTakeEffect = AnswerFuture.mayTakeEffect(future);
            future.cancel(true);
            throw mayTakeEffect
                    ? new DaedalusException(Category.UNKNOWN, "57014",
                            "interrupted while waiting for the outcome of an update: it may take effect")
                    : new DaedalusException(Category.RETRY, "57014", "interrupted while waiting for an answer");
        } catch (ExecutionException e) {
            throw Executable.asDaedalusException(e).rethrown();
        }
    }

    /**
     * Ends every request in flight with an exception, closes all connections and waits for the network's thread to end;
     * called on that thread, in a callback, it does not wait. Results that had arrived can still be read.
     */
    @Override
    public void close() {
        connections.close();
    }

    ClusterQuestions questions() {
        return questions;
    }

    Connections connections() {
        return connections;
    }

    Duration requestTimeout() {
        return requestTimeout;
    }

    String principal() {
        return principal;
    }

    SubmissionId nextSubmission() {
        return SubmissionId.newBuilder().setClient(clientId).setNumber(nextSubmission.getAndIncrement()).build();
    }

    static String checkedName(String what, String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length > NAME_SIZE_MAX) {
            throw new IllegalArgumentException(what + " exceeds " + NAME_SIZE_MAX + " bytes");
        }
        return text;
    }
}
