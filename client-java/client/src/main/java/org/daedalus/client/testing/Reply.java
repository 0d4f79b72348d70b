package org.daedalus.client.testing;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.ResultColumn;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.WriteConfirmed;

/** A {@link FakeCluster} answers this to one request. */
public final class Reply {
    private final List<Result> results;

    private Reply(List<Result> results) {
        this.results = results;
    }

    /**
     * Returns the answer to a query.
     *
     * @param rows each with a value of its column's class for every column; null is NULL
     */
    public static Reply rows(List<ResultColumn> columns, List<List<Object>> rows) {
        ByteWriter packed = new ByteWriter(1 << 10);
        for (List<Object> row : rows) {
            PackedRows.append(columns.stream().map(ResultColumn::type).toList(), row.toArray(), packed);
        }
        QueryRows.Builder answer = QueryRows.newBuilder().setRowCount(rows.size())
                .setRows(ByteString.copyFrom(packed.toByteArray()));
        columns.forEach(column -> answer.addColumns(column(column)));
        return new Reply(List.of(Result.newBuilder().setRows(answer).build(),
                Result.newBuilder().setEnd(QueryEnd.newBuilder().setRowCount(rows.size())).build()));
    }

    /** An update has taken effect on so many rows. */
    public static Reply applied(long rows) {
        return new Reply(List.of(Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().addOutcomes(
                PartitionOutcome.newBuilder().setRowsMatched(rows).setRowsApplied(rows))).build()));
    }

    /** The request fails. One that fails with RETRY and an SQLSTATE of class 53 is repeated by the client. */
    public static Reply failure(Category category, String sqlState, String message) {
        return new Reply(List.of(Result.newBuilder().setError(Error.newBuilder().setSqlstate(sqlState)
                .setMessage(message).setCategory(ErrorCategory.valueOf("ERROR_CATEGORY_" + category))).build()));
    }

    /** Returns a reply that never comes: the request ends at its deadline. */
    public static Reply silence() {
        return new Reply(List.of());
    }

    static Column column(ResultColumn column) {
        return Column.newBuilder().setName(column.name()).setType(WireTypes.toMessage(column.type())).setNullable(true)
                .build();
    }

    /** Returns the messages that travel; what confirms an update or ends an answer gets its timestamp. */
    List<Result> results(long sequence, long timestamp) {
        List<Result> travelling = new ArrayList<>();
        for (Result result : results) {
            Result.Builder sent = result.toBuilder().setSequence(sequence);
            if (result.hasConfirmed()) {
                sent.getConfirmedBuilder().setTimestamp(timestamp);
            } else if (result.hasEnd()) {
                sent.getEndBuilder().setMoment(timestamp);
            }
            travelling.add(sent.build());
        }
        return travelling;
    }
}
