package org.daedalus.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.client.internal.statements.SqlText;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Slice;
import org.daedalus.wire.v1.StatementBody;

/**
 * A piece of the table as it lies in the cluster (docs/protocol.md, "Slices"): what the command line takes a whole
 * table out by. Not for applications: what a slice consists of follows from nothing that they know of.
 */
public final class TableSlice extends Executable<TableSlice, ResultSet> {
    /** The place where a slice begins. */
    public record Place(int partition, int segment, long slot) {
        /** The first slice of a table begins here. */
        public static final Place FIRST = new Place(0, 0, 0);
    }

    private final TableDescription table;
    private final Place place;
    private final long answerBytes;

    /**
     * All columns of the rows from a place on, until they have so many bytes, or fewer where the cluster answers fewer.
     */
    public TableSlice(DaedalusClient client, TableDescription table, Place place, long answerBytes) {
        super(client, ResultSet.class);
        this.table = table;
        this.place = place;
        this.answerBytes = answerBytes;
    }

    /** Waits for the end of a slice; where the one after it begins, or nothing when that was the last. */
    public static Optional<Place> next(ResultSet slice) {
        if (!slice.awaitEnd().hasNextSlice()) {
            return Optional.empty();
        }
        Slice next = slice.awaitEnd().getNextSlice();
        return Optional.of(new Place(next.getPartition(), next.getSegment(), next.getFirstSlot()));
    }

    @Override
    CompletableFuture<Request.Content> content() {
        String sql = new SqlText(table).add("SELECT * FROM ").addTable().text();
        Slice slice = Slice.newBuilder().setPartition(place.partition()).setSegment(place.segment())
                .setFirstSlot(place.slot()).setAnswerBytes(answerBytes).build();
        return CompletableFuture.completedFuture(Request.Content.of(OperationKind.OPERATION_KIND_STATEMENT,
                StatementBody.newBuilder().setSql(sql).setSlice(slice).build().toByteString(), null));
    }
}
