package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Constants;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.v1.ColumnEquality;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.Distribution;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;

/**
 * Rows to insert that are packed here, without SQL: the fast way to load. They take effect together, under one
 * timestamp. Rows
 * and bytes of one update are limited by the cluster ({@link TableDescription#reply()}).
 */
public final class RowBatch extends Executable<RowBatch, WriteOutcome> {
    private final TableDescription table;
    private final List<ColumnType> types;
    private final ByteWriter rows = new ByteWriter(1 << 16);
    /** Distinct placement values, where the map asks for them. */
    private final Map<Integer, Map<Object, Constant>> placement = new LinkedHashMap<>();
    private int rowCount;

    RowBatch(DaedalusClient client, TableDescription table) {
        super(client, WriteOutcome.class);
        this.table = table;
        this.types = table.types();
        if (table.reply().getMap().getDistribution() != Distribution.DISTRIBUTION_ROUND_ROBIN) {
            table.reply().getMap().getColumnsList().forEach(column -> placement.put(column, new LinkedHashMap<>()));
        }
    }

    /**
     * One more row: a value for each column of the table, in its class ({@link ValueText#parse}); null is NULL.
     *
     * @throws IllegalArgumentException when a value does not fit its column
     */
    public RowBatch add(Object... values) {
        PackedRows.append(types, values, rows);
        rowCount++;
        placement.forEach((column, distinct) -> distinct.computeIfAbsent(
                values[column] == null ? void.class : values[column],
                value -> Constants.of(types.get(column), values[column])));
        return this;
    }

    public int rowCount() {
        return rowCount;
    }

    /** Bytes of the packed rows. */
    public int sizeBytes() {
        return rows.size();
    }

    @Override
    CompletableFuture<Request.Content> content() {
        ClusterIdentity described = new ClusterIdentity(table.reply().getClusterId(),
                table.reply().getSchemaFingerprint(), table.reply().getMap().getVersion());
        if (!described.agreesWith(client.connections().cluster())) {
            // Packed bytes have no names and types: another schema would read them as something else.
            return CompletableFuture.failedFuture(new DaedalusException(Category.REJECTED, "55000",
                    "the batch was packed for " + described + ", but the client is connected to "
                            + client.connections().cluster() + ": describe() again and make a new batch"));
        }
        PartitionMap map = table.reply().getMap();
        Route.Builder route = Route.newBuilder();
        if (placement.isEmpty()) {
            route.setFirstOrdinal(0).setRowCount(rowCount);
        }
        placement.forEach((column, distinct) -> route.addEqualities(
                ColumnEquality.newBuilder().setColumn(column).addAllValues(distinct.values())));
        InsertPart insert = InsertPart.newBuilder()
                .setRows(ByteString.copyFrom(rows.toByteArray())).setRowCount(rowCount).build();
        SubmitBody body = SubmitBody.newBuilder()
                .setSubmission(client.nextSubmission())
                .setUpdate(UpdateBody.newBuilder().addParts(UpdatePart.newBuilder().setInsert(insert)))
                .addRoutes(route)
                .build();
        return CompletableFuture.completedFuture(new Request.Content(OperationKind.OPERATION_KIND_SUBMIT,
                body.toByteString(), true, List.of(), map.getVersion(), 0, 0, "", ""));
    }
}
