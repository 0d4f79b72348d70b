package org.daedalus.client.testing;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.daedalus.channel.ChannelLimits;
import org.daedalus.channel.Peer;
import org.daedalus.channel.PeerHandler;
import org.daedalus.channel.PeerNetwork;
import org.daedalus.client.ResultColumn;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Constants;
import org.daedalus.wire.Features;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Distribution;
import org.daedalus.wire.v1.Held;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.SubmitBody;

/**
 * A cluster of a test: it listens on this machine and answers a real client as the test says, without SQL and without
 * rows of its own. What the client does about deadlines, refusals and lost connections can be tested against it.
 *
 * <pre>{@code
 * try (FakeCluster cluster = FakeCluster.start("seats", COLUMNS, asked -> asked.sql().startsWith("SELECT")
 *                 ? Reply.rows(COLUMNS, List.of(List.of("12A", 7))) : Reply.applied(1));
 *         DaedalusClient client = DaedalusClient.builder().aggregators(cluster.endpoint()).build()) {
 *     …
 * }
 * }</pre>
 */
public final class FakeCluster implements AutoCloseable {
    private static final String CLUSTER_ID = "fake-cluster";

    private final List<ResultColumn> columns;
    private final Function<Asked, Reply> behaviour;
    private final DescribeReply description;
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final AtomicLong timestamp = new AtomicLong();
    private final PeerNetwork network;
    private final int port;

    private FakeCluster(String table, List<ResultColumn> columns, Function<Asked, Reply> behaviour)
            throws IOException {
        this.columns = List.copyOf(columns);
        this.behaviour = behaviour;
        DescribeReply.Builder described = DescribeReply.newBuilder().setTableName(table).setClusterId(CLUSTER_ID)
                .setMap(PartitionMap.newBuilder().setVersion(1)
                        .setDistribution(Distribution.DISTRIBUTION_ROUND_ROBIN));
        columns.forEach(column -> described.addColumns(Reply.column(column)));
        description = described.build();
        Hello hello = Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setName("fake").setClusterId(CLUSTER_ID)
                .setFeatures(Features.MOMENTS).build();
        network = new PeerNetwork("fake-cluster", () -> hello, ChannelLimits.DEFAULT, new Handler());
        port = network.listen("127.0.0.1", 0).getPort();
    }

    /**
     * Listens at a port that is free.
     *
     * @param columns of the one table; each may be NULL
     * @param behaviour says what is answered; called by the network's thread, so it must not wait
     */
    public static FakeCluster start(String table, List<ResultColumn> columns, Function<Asked, Reply> behaviour)
            throws IOException {
        return new FakeCluster(table, columns, behaviour);
    }

    /** host:port, for the client's builder. */
    public String endpoint() {
        return "127.0.0.1:" + port;
    }

    /** Everything that was asked so far, in its order. */
    public List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** Hangs up on everybody and listens no more. */
    @Override
    public void close() {
        network.close();
    }

    private void answer(Peer peer, Operation operation) throws InvalidProtocolBufferException, WireException {
        long sequence = operation.getHeader().getSequence();
        switch (operation.getHeader().getKind()) {
            case OPERATION_KIND_DESCRIBE ->
                peer.send(Result.newBuilder().setSequence(sequence).setDescribed(description).build());
            case OPERATION_KIND_STATUS -> peer.send(Result.newBuilder().setSequence(sequence)
                    .setStatus(StatusReply.newBuilder().setClusterId(CLUSTER_ID)).build());
            case OPERATION_KIND_HOLD -> peer.send(Result.newBuilder().setSequence(sequence)
                    .setHeld(Held.newBuilder().setOldest(timestamp.get())).build());
            case OPERATION_KIND_STATEMENT ->
                reply(peer, operation.getHeader(), statement(StatementBody.parseFrom(operation.getBody())));
            case OPERATION_KIND_SUBMIT ->
                reply(peer, operation.getHeader(), batch(SubmitBody.parseFrom(operation.getBody())));
            default -> {
                // The client gives up on a request: there is nothing to stop here.
            }
        }
    }

    private void reply(Peer peer, OperationHeader header, Asked request) {
        asked.add(request);
        long moment = header.getIsFirm() ? header.getAt() : timestamp.incrementAndGet();
        behaviour.apply(request).results(header.getSequence(), moment).forEach(peer::send);
    }

    private static Asked statement(StatementBody body) throws WireException {
        List<Object> parameters = new ArrayList<>();
        for (Constant parameter : body.getParametersList()) {
            parameters.add(Constants.toValue(parameter));
        }
        return new Asked(body.getSql(), parameters, List.of());
    }

    private Asked batch(SubmitBody body) throws WireException {
        InsertPart insert = body.getUpdate().getParts(0).getInsert();
        List<ColumnType> types = columns.stream().map(ResultColumn::type).toList();
        PackedRows packed = new PackedRows(types, ByteRange.of(insert.getRows().toByteArray()));
        List<List<Object>> rows = new ArrayList<>();
        while (packed.hasNext()) {
            rows.add(Arrays.asList(packed.next()));
        }
        return new Asked("", List.of(), rows);
    }

    private final class Handler implements PeerHandler {
        @Override
        public void onUp(Peer peer) {
            // The client asks when it wants something.
        }

        @Override
        public void onDown(Peer peer, String reason) {
            // It dials again by itself.
        }

        @Override
        public void onOperation(Peer peer, Operation operation) {
            try {
                answer(peer, operation);
            } catch (InvalidProtocolBufferException | WireException e) {
                peer.close("not understood: " + e.getMessage());
            }
        }
    }
}
