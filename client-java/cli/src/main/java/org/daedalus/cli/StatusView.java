package org.daedalus.cli;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.output.Json;
import org.daedalus.wire.v1.AggregatorStatus;
import org.daedalus.wire.v1.AllocatorStatus;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.SegmentStatus;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.WriterStatus;

/** A cluster's status as text. */
final class StatusView {
    private static final String[] NODE_HEAD =
        {"node", "endpoint", "state", "process", "rows", "memory", "allocator", "accepted", "applied", "durability",
            "durable", "checkpoint", "log", "checkpoints", "queries", "updates", "share factor", "updates a cycle",
            "cycle declared"};
    private static final String[] SEGMENT_HEAD = {"node", "partition", "segment", "rows", "rows max", "memory",
        "bytes a row", "of raw", "huge pages", "NUMA node", "cycles", "late", "last cycle", "longest",
        "queries queued", "updates queued", "applied", "durable", "window", "oldest moment", "core"};
    /** Columns that tell rows apart, and columns of text, from the first on. */
    private static final int NODE_KEYS = 1;
    private static final int NODE_TEXTS = 3;
    private static final int SEGMENT_KEYS = 3;
    private static final double MIB = 1 << 20;

    private StatusView() {}

    /**
     * Writes the status for people. {@code reply} may be null when no aggregator answered; {@code dead} are processes
     * of a local cluster.
     */
    static String table(StatusReply reply, List<LocalCluster.Member> dead) {
        StringBuilder text = new StringBuilder();
        for (LocalCluster.Member member : dead) {
            text.append("DEAD: ").append(member.name()).append(" (process ").append(member.pid()).append(", ")
                    .append(member.endpoint()).append(")\n");
            member.lastWords().forEach(line -> text.append("  ").append(line).append('\n'));
        }
        if (reply == null) {
            return text.toString();
        }
        NarrowText.sentence(aggregator(reply), text);
        sentenceUnlessEmpty(logins(reply.getAggregator()), text);
        NarrowText.sentence(writer(reply), text);
        sentenceUnlessEmpty(writerMemory(reply.getWriter()), text);
        List<String[]> nodes = new ArrayList<>();
        List<String[]> segments = new ArrayList<>();
        for (NodeStatus node : reply.getNodesList()) {
            nodes.add(node(node));
            node.getSegmentsList().forEach(segment -> segments.add(segment(node, segment)));
        }
        NarrowText.table(NODE_HEAD, NODE_KEYS, NODE_TEXTS, nodes, text);
        NarrowText.table(SEGMENT_HEAD, SEGMENT_KEYS, 0, segments, text);
        return text.toString();
    }

    private static void sentenceUnlessEmpty(String sentence, StringBuilder text) {
        if (!sentence.isEmpty()) {
            NarrowText.sentence(sentence, text);
        }
    }

    private static String aggregator(StatusReply reply) {
        AggregatorStatus aggregator = reply.getAggregator();
        return "cluster " + reply.getClusterId() + ", as " + aggregator.getName() + " (process "
                + aggregator.getProcessId() + ") sees it: " + aggregator.getClients() + " clients, "
                + aggregator.getQueriesInFlight() + " queries and " + aggregator.getUpdatesInFlight()
                + " updates in flight, " + unsigned(aggregator.getQueriesTotal()) + " queries ("
                + unsigned(aggregator.getQueriesAskedTwice()) + " asked twice) and "
                + unsigned(aggregator.getUpdatesTotal()) + " updates so far, confirmed through "
                + unsigned(aggregator.getConfirmed()) + ", time zones "
                + (aggregator.getTimeZoneVersion().isEmpty() ? "MISSING" : aggregator.getTimeZoneVersion())
                + ", allocator " + allocator(aggregator.getAllocator());
    }

    /** Describes the logins of clients of PostgreSQL; empty where none are served. */
    private static String logins(AggregatorStatus aggregator) {
        return aggregator.getPostgresEndpoint().isEmpty() ? ""
                : "clients of PostgreSQL at " + aggregator.getPostgresEndpoint() + ": "
                        + unsigned(aggregator.getPostgresLogins()) + " logins so far, "
                        + unsigned(aggregator.getPostgresLoginsFailed()) + " failed, "
                        + unsigned(aggregator.getPostgresLoginsRefused()) + " refused because too many had failed; "
                        + "the catalogue is " + aggregator.getPostgresCatalogue()
                        + (aggregator.getPostgresCatalogueReason().isEmpty() ? ""
                                : " (" + aggregator.getPostgresCatalogueReason() + ")");
    }

    private static String writer(StatusReply reply) {
        NodeStatus highest = null;
        for (NodeStatus node : reply.getNodesList()) {
            if (highest == null || Long.compareUnsigned(node.getEpoch(), highest.getEpoch()) > 0) {
                highest = node;
            }
        }
        if (highest == null || highest.getEpoch() == 0) {
            return "nobody writes";
        }
        return highest.getWriter() + " writes in epoch " + unsigned(highest.getEpoch()) + " and takes submissions at "
                + highest.getWriterEndpoint()
                + (reply.getAggregator().getWriterReachable() ? "" : ", but cannot be REACHED");
    }

    /** Says what the writer keeps, of how much; empty when it did not say. */
    private static String writerMemory(WriterStatus writer) {
        if (!writer.getProblem().isEmpty()) {
            return "the writer is not well: " + writer.getProblem();
        }
        if (writer.getHeapBytesMax() == 0) {
            return "";
        }
        return "it keeps " + share(writer.getUpdatesKept(), writer.getUpdatesKeptMax()) + " updates ("
                + mib(writer.getUpdateBytesKept(), writer.getUpdateBytesKeptMax())
                + ") until all nodes have them, remembers "
                + share(writer.getSubmissionsKnown(), writer.getSubmissionsKnownMax()) + " submissions ("
                + mib(writer.getSubmissionBytesKnown(), writer.getSubmissionBytesKnownMax()) + "), "
                + unsigned(writer.getSubmissionsWaiting()) + " of which are waited for, and uses "
                + mib(writer.getHeapBytesUsed(), writer.getHeapBytesMax()) + " of heap; " + journal(writer);
    }

    private static String journal(WriterStatus writer) {
        return writer.getJournalBytesMax() == 0 ? "it keeps no journal"
                : "its journal takes " + mib(writer.getJournalBytes(), writer.getJournalBytesMax())
                        + " on disk, and all up to " + unsigned(writer.getJournaledThrough()) + " is durable there";
    }

    private static String share(long part, long whole) {
        return unsigned(part) + " of " + unsigned(whole);
    }

    private static String mib(long part, long whole) {
        return String.format("%.1f of %.1f MiB", part / MIB, whole / MIB);
    }

    private static String[] node(NodeStatus node) {
        String state = !node.getReachable() ? "UNREACHABLE" : node.getProblem().isEmpty() ? "serving" : "REFUSING";
        boolean keeps = !node.getDurability().equals("off");
        return new String[] {
            Integer.toString(node.getNode()), node.getEndpoint(),
            node.getProblem().isEmpty() ? state : state + ": " + node.getProblem(),
            unsigned(node.getProcessId()),
            unsigned(node.getSegmentsList().stream().mapToLong(SegmentStatus::getRows).sum()),
            mib(node.getSegmentsList().stream().mapToLong(SegmentStatus::getMemoryBytes).sum()),
            allocator(node.getAllocator()), unsigned(node.getAccepted()), unsigned(node.getApplied()),
            node.getDurability(),
            keeps ? unsigned(node.getDurable()) : "-",
            keeps && node.getCheckpoint() != 0 ? unsigned(node.getCheckpoint()) : "-",
            keeps ? mib(node.getLogBytes()) : "-", keeps ? mib(node.getCheckpointBytes()) : "-",
            unsigned(node.getQueriesTotal()), unsigned(node.getUpdatesTotal()),
            Integer.toUnsignedString(node.getShareFactor()), Integer.toUnsignedString(node.getUpdatesPerCycle()),
            node.getCycleNsTarget() == 0 ? "any" : millis(node.getCycleNsTarget())};
    }

    /** Renders what is in use, of what the process keeps. */
    private static String allocator(AllocatorStatus allocator) {
        return mib(allocator.getAllocatedBytes(), allocator.getResidentBytes());
    }

    private static String[] segment(NodeStatus node, SegmentStatus segment) {
        return new String[] {
            Integer.toString(node.getNode()), Integer.toString(segment.getPartition()),
            Integer.toString(segment.getSegment()), unsigned(segment.getRows()), unsigned(segment.getRowsMax()),
            mib(segment.getMemoryBytes()), bytesPerRow(segment), memoryRatio(segment),
            mib(segment.getHugePageBytes()), numaNode(segment), unsigned(segment.getCycles()),
            unsigned(segment.getCyclesLate()), millis(segment.getCycleNsLast()),
            millis(segment.getCycleNsMax()), Integer.toString(segment.getQueueQueries()),
            Integer.toString(segment.getQueueUpdates()), unsigned(segment.getApplied()),
            node.getDurability().equals("off") ? "off" : unsigned(segment.getDurable()),
            mib(segment.getWindowBytes(), segment.getWindowBytesMax()), unsigned(segment.getWindowFrom()),
            segment.getCore() < 0 ? "any" : Integer.toString(segment.getCore())};
    }

    private static String bytesPerRow(SegmentStatus segment) {
        return segment.getRowsMax() == 0 ? "-"
                : String.format("%.1f", (double) segment.getMemoryBytes() / segment.getRowsMax());
    }

    /** Says what keeping a row costs, in multiples of its values' own bytes. */
    private static String memoryRatio(SegmentStatus segment) {
        return segment.getRowsMax() == 0 || segment.getRowBytes() == 0 ? "-"
                : String.format("%.2f",
                        (double) segment.getMemoryBytes() / segment.getRowsMax() / segment.getRowBytes());
    }

    private static String numaNode(SegmentStatus segment) {
        if (segment.getNumaNode() < 0) {
            return "any";
        }
        return segment.getNumaNode() + (segment.getPlacementVerified() ? "" : " UNVERIFIED");
    }

    /** Writes the status for programs: everything the cluster said, under the names of the wire. */
    static String json(StatusReply reply, List<LocalCluster.Member> dead, DaedalusException failure) {
        Json json = new Json().open('{').key("dead_processes").open('[');
        for (LocalCluster.Member member : dead) {
            json.open('{').key("name").string(member.name()).key("endpoint").string(member.endpoint())
                    .key("process_id").number(member.pid())
                    .key("last_words").string(String.join("\n", member.lastWords())).close('}');
        }
        json.close(']');
        if (failure != null) {
            json.key("error").open('{').key("category").string(failure.category().name())
                    .key("sqlstate").string(failure.sqlState()).key("message").string(failure.getMessage()).close('}');
        }
        if (reply != null) {
            json.key("status");
            MessageJson.write(reply, json);
        }
        return json.close('}').toString();
    }

    private static String unsigned(long value) {
        return Long.toUnsignedString(value);
    }

    private static String mib(long bytes) {
        return String.format("%.1f MiB", bytes / MIB);
    }

    private static String millis(long ns) {
        return String.format("%.2f ms", ns / 1e6);
    }
}
