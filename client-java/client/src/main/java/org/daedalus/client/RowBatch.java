package org.daedalus.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.protocol.ClusterIdentity;
import org.daedalus.client.internal.protocol.ReadTerms;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.values.FittingValue;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.PackedScan;
import org.daedalus.wire.Placement;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.ColumnEquality;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Distribution;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;

/**
 * Rows to insert that are packed here, without SQL: the fast way to load. They take effect together, under one
 * timestamp. Rows and bytes of one update are limited by the cluster ({@link TableDescription#limits()}).
 */
public final class RowBatch extends Executable<RowBatch, WriteOutcome> {
    private final TableDescription table;
    private final List<ColumnType> types;
    private final PackedScan scan;
    private final ByteWriter rows = new ByteWriter(1 << 16);
    /** The column that decides which partition has a row; negative: none does. */
    private final int placementColumn;
    /** Its distinct values, packed (empty: NULL), until the rows concern every partition. */
    private final Map<ByteString, Constant> placementValues = new LinkedHashMap<>();
    private final int partitionCount;
    private final BitSet partitions = new BitSet();
    private SubmissionId submission;
    private int rowCount;

    RowBatch(DaedalusClient client, TableDescription table) {
        super(client, WriteOutcome.class);
        this.table = table;
        this.types = table.types();
        this.scan = new PackedScan(types, table.columns().stream().map(TableDescription.Column::nullable).toList());
        PartitionMap map = table.reply().getMap();
        this.partitionCount = map.getPartitionsCount();
        this.placementColumn = map.getDistribution() == Distribution.DISTRIBUTION_HASH ? map.getColumns(0) : -1;
    }

    /**
     * Adds one more row: a value for each column of the table, in the table's order and in the column's class, as
     * {@link Row#getObject(int)} gives it; an integer may be of any class that holds it. null is NULL. A text is
     * converted to nothing: {@link ValueText#parse} makes a value of it.
     *
     * @throws IllegalArgumentException when a value does not fit its column; the batch is as it was then
     */
    public RowBatch add(Object... values) {
        int start = rows.size();
        Object[] fitting = values.clone();
        for (int column = 0; column < Math.min(values.length, types.size()); column++) {
            fitting[column] = FittingValue.of(types.get(column), values[column]);
        }
        PackedRows.append(types, fitting, rows);
        onPacked(start);
        return this;
    }

    /**
     * Submits the batch under a name of the caller's choice, so that it may be submitted again by another process and
     * takes effect once (docs/protocol.md, "Submissions"). It ends UNKNOWN when the writer cannot tell whether it was.
     */
    public RowBatch submission(SubmissionName name) {
        submission = name.toMessage();
        return this;
    }

    /** Rows in the batch so far. */
    public int rowCount() {
        return rowCount;
    }

    /** Returns the bytes of the packed rows. */
    public int sizeBytes() {
        return rows.size();
    }

    /** Returns the bytes to which {@link RowPacker} appends a row before it calls {@link #onPacked}. */
    ByteWriter packedRows() {
        return rows;
    }

    /** A row has been appended at {@code start}. */
    void onPacked(int start) {
        rowCount++;
        if (placementColumn >= 0 && !concernsAll()) {
            byte[] packed = scan.value(rows.array(), start, placementColumn);
            ByteString value = packed == null ? ByteString.EMPTY : UnsafeByteOperations.unsafeWrap(packed);
            ColumnType type = types.get(placementColumn);
            if (placementValues.putIfAbsent(value, constant(type, value)) == null && partitionCount > 0) {
                partitions.set(Placement.hashPartition(Placement.keyOfPacked(type, packed), partitionCount));
            }
        }
    }

    /** Says whether every partition gets rows: then there is no need to name them. */
    private boolean concernsAll() {
        return partitionCount > 0 && partitions.cardinality() == partitionCount;
    }

    private static Constant constant(ColumnType type, ByteString packed) {
        Constant.Builder constant = Constant.newBuilder().setType(WireTypes.toMessage(type));
        return (packed.isEmpty() ? constant.setIsNull(true) : constant.setPacked(packed)).build();
    }

    @Override
    CompletableFuture<Request.Content> content() {
        PartitionMap map = table.reply().getMap();
        ClusterIdentity described = new ClusterIdentity(
                table.reply().getClusterId(), table.reply().getSchemaFingerprint(), map.getVersion());
        if (!described.agreesWith(client.connections().cluster())) {
            // Packed bytes have no names and types: another schema would read them as something else.
            return CompletableFuture.failedFuture(new DaedalusException(Category.REJECTED, "55000",
                    "the batch was packed for " + described + ", but the client is connected to "
                            + client.connections().cluster() + ": describe() again and make a new batch"));
        }
        return CompletableFuture.completedFuture(new Request.Content(OperationKind.OPERATION_KIND_SUBMIT, null,
                body().toByteString(), submission == null ? client.nextSubmission() : submission,
                List.of(), map.getVersion(), ReadTerms.NONE, 0, "", ""));
    }

    /** Returns the table that it was packed for, as the cluster described it. */
    DescribeReply described() {
        return table.reply();
    }

    /** Returns its update and routes, under its submission where it has one. */
    SubmitBody body() {
        PartitionMap map = table.reply().getMap();
        Route.Builder route = Route.newBuilder();
        if (map.getDistribution() == Distribution.DISTRIBUTION_ROUND_ROBIN) {
            route.setFirstOrdinal(0).setRowCount(rowCount);
        } else if (placementColumn >= 0 && !concernsAll()) {
            route.addEqualities(ColumnEquality.newBuilder().setColumn(placementColumn)
                    .addAllValues(placementValues.values()));
        }
        InsertPart insert = InsertPart.newBuilder()
                .setRows(UnsafeByteOperations.unsafeWrap(rows.toByteArray())).setRowCount(rowCount).build();
        SubmitBody.Builder body = SubmitBody.newBuilder()
                .setUpdate(UpdateBody.newBuilder().addParts(UpdatePart.newBuilder().setInsert(insert)))
                .addRoutes(route);
        return (submission == null ? body : body.setSubmission(submission)).build();
    }
}
