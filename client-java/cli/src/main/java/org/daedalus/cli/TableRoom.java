package org.daedalus.cli;

import java.util.Locale;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.TableDescription;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.SegmentStatus;
import org.daedalus.wire.v1.StatusReply;

/**
 * Says how many rows a cluster that serves has memory for, and what each takes.
 *
 * @param sentence for whoever has started it
 * @param note on strings that take most of it; empty: they do not
 */
record TableRoom(String sentence, String note) {
    /** Asks the cluster; throws DaedalusException. */
    static TableRoom ask(DaedalusClient client) {
        StatusReply status = client.await(ClientAccess.get().status(client));
        TableDescription table = client.await(client.describe());
        long rows = 0;
        long bytes = 0;
        for (NodeStatus node : status.getNodesList()) {
            for (SegmentStatus segment : node.getSegmentsList()) {
                rows += segment.getRowsMax();
                bytes += segment.getMemoryBytes();
            }
        }
        String sentence = String.format(Locale.ROOT, "A row takes %,.0f bytes of memory: %,d rows fit "
                + "(--storage-nodes, --segments, --segment-mib)", rows == 0 ? 0 : (double) bytes / rows, rows);
        return new TableRoom(sentence, RowCost.of(table.columns().stream()
                .map(column -> new RowCost.Column(column.name(), column.type(), column.nullable())).toList())
                .noteOnStrings());
    }
}
