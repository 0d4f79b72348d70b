package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import org.daedalus.channel.ChannelLimits;
import org.daedalus.channel.Peer;
import org.daedalus.channel.PeerHandler;
import org.daedalus.channel.PeerNetwork;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;

/** An aggregator that answers as the test says. */
public final class FakeAggregator implements PeerHandler, AutoCloseable {
    public static final ColumnType INT = ColumnType.of(ColumnType.Kind.INT);
    public static final ColumnType VARCHAR = ColumnType.varcharOf(20);

    public final BlockingQueue<Operation> seen = new LinkedBlockingQueue<>();
    private final List<Peer> peers = new CopyOnWriteArrayList<>();
    private final BiConsumer<FakeAggregator, Operation> behaviour;
    private final PeerNetwork network;
    private final int port;
    private DescribeReply description = describe(PartitionMap.newBuilder().setVersion(3)
            .setDistribution(org.daedalus.wire.v1.Distribution.DISTRIBUTION_ROUND_ROBIN).build());
    private Peer current;

    public FakeAggregator(String clusterId, int port, BiConsumer<FakeAggregator, Operation> behaviour)
            throws IOException {
        this(Hello.newBuilder().setClusterId(clusterId).build(), port, behaviour);
    }

    /** One that says in its hello, beside who it is, what {@code about} says. */
    public FakeAggregator(Hello about, int port, BiConsumer<FakeAggregator, Operation> behaviour) throws IOException {
        this.behaviour = behaviour;
        Hello hello = about.toBuilder().setRole(Role.ROLE_AGGREGATOR).setName("fake").build();
        network = new PeerNetwork("fake-aggregator", () -> hello, ChannelLimits.DEFAULT, this);
        this.port = network.listen("127.0.0.1", port).getPort();
    }

    public FakeAggregator(BiConsumer<FakeAggregator, Operation> behaviour) throws IOException {
        this("flights-1", 0, behaviour);
    }

    public static DescribeReply describe(PartitionMap map) {
        return DescribeReply.newBuilder().setTableName("bookings").setMap(map).setEpoch(3)
                .addColumns(Column.newBuilder().setName("rloc").setType(WireTypes.toMessage(VARCHAR)))
                .addColumns(Column.newBuilder().setName("product_id").setType(WireTypes.toMessage(INT))
                        .setNullable(true))
                .build();
    }

    public void describeAs(DescribeReply reply) {
        description = reply;
    }

    public int port() {
        return port;
    }

    public String endpoint() {
        return "127.0.0.1:" + port;
    }

    /** Has the fake's network thread do something: what answers later than at once belongs there. */
    public void run(Runnable task) {
        network.execute(task);
    }

    public void answer(Operation operation, Result.Builder result) {
        current.send(result.setSequence(operation.getHeader().getSequence()).build());
    }

    public void answerRows(Operation operation, Object[]... rows) {
        answer(operation, Result.newBuilder().setRows(rows(rows)));
    }

    public void answerEnd(Operation operation, long rowCount) {
        answer(operation, Result.newBuilder().setEnd(QueryEnd.newBuilder().setRowCount(rowCount)));
    }

    public void answerError(Operation operation, ErrorCategory category, String sqlState, String message) {
        answer(operation, Result.newBuilder().setError(Error.newBuilder().setCategory(category).setSqlstate(sqlState)
                .setMessage(message).setPosition(8).setHint("a hint")));
    }

    public void hangUp() {
        current.close("hung up");
    }

    public static QueryRows.Builder rows(Object[]... rows) {
        ByteWriter out = new ByteWriter(64);
        for (Object[] row : rows) {
            PackedRows.append(List.of(VARCHAR, INT), row, out);
        }
        return QueryRows.newBuilder().addAllColumns(describe(PartitionMap.getDefaultInstance()).getColumnsList())
                .setRows(ByteString.copyFrom(out.toByteArray())).setRowCount(rows.length);
    }

    @Override
    public void onUp(Peer peer) {
        peers.add(peer);
    }

    @Override
    public void onDown(Peer peer, String reason) {
        peers.remove(peer);
    }

    @Override
    public void onOperation(Peer peer, Operation operation) {
        current = peer;
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_DESCRIBE) {
            answer(operation, Result.newBuilder().setDescribed(description));
            return;
        }
        seen.add(operation);
        behaviour.accept(this, operation);
    }

    @Override
    public void close() {
        network.close();
    }
}
