package org.daedalus.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a local cluster consists of: names, ports, configuration files (docs/configuration.md). Decides; does nothing.
 *
 * @param directory absolute; all files are below it
 * @param schemaLibrary absolute
 */
record ClusterPlan(String clusterId, Path directory, Path schemaLibrary, int storageNodes, int segments,
        int aggregators, Placement partitionBy, Placement segmentBy, int segmentMib, AnswerRoom answers, int port) {
    static final int STORAGE_NODES_MAX = 40;
    static final int AGGREGATORS_MAX = 10;

    /** What the processes run. */
    static final List<String> PROGRAMS = List.of("daedalus-storage-node", "daedalus-aggregator", "daedalus-writer");

    /** What a process may take beside segments: answers, page tables, the heap of the writer. */
    private static final int BESIDE_MIB = 128;
    private static final int MIB_SHIFT = 20;
    private static final String HOST = "127.0.0.1";
    private static final int NODE_PORT_OFFSET = 10;
    private static final int WRITER_PORT_OFFSET = 50;
    private static final Pattern HASH = Pattern.compile(
            "\\s*hash\\s*\\(\\s*(\"(?:[^\"]|\"\")+\"|[^\\s()\",]+)\\s*\\)\\s*", Pattern.CASE_INSENSITIVE);

    /**
     * round_robin, or hash of one column.
     *
     * @param column null for round_robin
     */
    record Placement(String column) {
        static Placement parse(String option, String text) throws CliException {
            if (text.strip().equalsIgnoreCase("round_robin")) {
                return new Placement(null);
            }
            Matcher hash = HASH.matcher(text);
            if (!hash.matches()) {
                throw CliException.usage(option + " must be round_robin or 'hash(COLUMN)', not '" + text + "'");
            }
            String name = hash.group(1);
            return new Placement(name.startsWith("\"")
                    ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
                    : name.toLowerCase(java.util.Locale.ROOT));
        }

        String distribution() {
            return column == null ? "round_robin" : "hash";
        }

        String columns() {
            return column == null ? "[]" : "[" + quote(column) + "]";
        }
    }

    /**
     * One process to start.
     *
     * @param configuration its file, or null when it takes flags
     * @param arguments after the program's name
     */
    record Member(String name, String program, String endpoint, Path configuration, List<String> arguments) {}

    String nodeEndpoint(int node) {
        return HOST + ":" + (port + NODE_PORT_OFFSET + node);
    }

    String aggregatorEndpoint(int aggregator) {
        return HOST + ":" + (port + aggregator);
    }

    String writerEndpoint() {
        return HOST + ":" + (port + WRITER_PORT_OFFSET);
    }

    List<Member> nodes() {
        List<Member> members = new ArrayList<>();
        for (int node = 0; node < storageNodes; node++) {
            members.add(configured("node-" + node, PROGRAMS.get(0), nodeEndpoint(node)));
        }
        return members;
    }

    List<Member> aggregatorMembers() {
        List<Member> members = new ArrayList<>();
        for (int aggregator = 0; aggregator < aggregators; aggregator++) {
            members.add(configured("aggregator-" + aggregator, PROGRAMS.get(1), aggregatorEndpoint(aggregator)));
        }
        return members;
    }

    Member writer() {
        List<String> dialled = aggregatorMembers().stream().map(Member::endpoint).toList();
        return new Member("writer", PROGRAMS.get(2), writerEndpoint(), null, List.of(
                "--aggregators", String.join(",", dialled), "--listen", writerEndpoint(), "--name", "writer"));
    }

    private Member configured(String name, String program, String endpoint) {
        Path file = directory.resolve(name + ".toml");
        return new Member(name, program, endpoint, file, List.of("--config", file.toString()));
    }

    /** What the rows of all storage nodes may take. */
    long segmentBytes() {
        return (long) storageNodes * segments * segmentMib << MIB_SHIFT;
    }

    /**
     * Refuses segments that do not fit into the machine together: each node knows only of its own.
     *
     * @param memory what the machine has
     */
    void checkMemory(MachineMemory memory) throws CliException {
        int processes = storageNodes + aggregators + 1;
        long beside = (long) processes * BESIDE_MIB;
        long raised = answers.raisedMib(storageNodes, aggregators);
        long room = Math.max(0, (memory.availableBytes() >> MIB_SHIFT) - beside - raised);
        if (segmentBytes() >> MIB_SHIFT <= room) {
            return;
        }
        int count = storageNodes * segments;
        long fitting = room / count;
        throw CliException.usage(count + " segments of " + segmentMib + " MiB take " + (segmentBytes() >> MIB_SHIFT)
                + " MiB of memory (--storage-nodes, --segments, --segment-mib): " + room + " MiB are left for them, as "
                + (memory.availableBytes() >> MIB_SHIFT) + " of the machine's " + (memory.totalBytes() >> MIB_SHIFT)
                + " MiB are available and each of " + processes + " processes keeps " + BESIDE_MIB + " MiB free"
                + (raised > 0 ? " and --answer-mib adds " + raised + " MiB for answers; " : "; ")
                + (fitting > 0 ? "--segment-mib " + fitting + " fits" : "have fewer segments or processes"));
    }

    /** All configuration files by name. */
    Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("cluster.toml", clusterFile());
        for (int node = 0; node < storageNodes; node++) {
            files.put("node-" + node + ".toml", nodeFile(node));
        }
        for (int aggregator = 0; aggregator < aggregators; aggregator++) {
            files.put("aggregator-" + aggregator + ".toml", aggregatorFile(aggregator));
        }
        return files;
    }

    private String clusterFile() {
        StringBuilder text = new StringBuilder()
                .append("cluster_id = ").append(quote(clusterId)).append('\n')
                .append("schema_library = ").append(quote(schemaLibrary.toString())).append('\n')
                .append("[partition_map]\n")
                .append("version = 1\n")
                .append("distribution = ").append(quote(partitionBy.distribution())).append('\n')
                .append("columns = ").append(partitionBy.columns()).append('\n')
                .append("segment_distribution = ").append(quote(segmentBy.distribution())).append('\n')
                .append("segment_columns = ").append(segmentBy.columns()).append('\n');
        for (int node = 0; node < storageNodes; node++) {
            text.append("[[partition_map.partitions]]\nnodes = [").append(node).append("]\n");
        }
        for (int node = 0; node < storageNodes; node++) {
            text.append("[[nodes]]\nid = ").append(node).append("\nendpoint = ").append(quote(nodeEndpoint(node)))
                    .append('\n');
        }
        return text.toString();
    }

    private String nodeFile(int node) {
        return "cluster = \"cluster.toml\"\n"
                + "node = " + node + "\n"
                + "listen = " + quote(nodeEndpoint(node)) + "\n"
                + "data_dir = \"node-" + node + "\"\n"
                + "segments = " + segments + "\n"
                + "segment_mib = " + segmentMib + "\n"
                + "cores = []\n"
                + answers.nodeLines()
                + "durability = \"off\"\n";
    }

    private String aggregatorFile(int aggregator) {
        return "cluster = \"cluster.toml\"\n"
                + "name = \"aggregator-" + aggregator + "\"\n"
                + "listen = " + quote(aggregatorEndpoint(aggregator)) + "\n"
                + "sql_threads = 1\n"
                + answers.aggregatorLines();
    }

    /** A TOML basic string. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
