package org.daedalus.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plans a local cluster: names, ports, configuration files (docs/configuration.md). Decides; does nothing.
 *
 * @param directory absolute; all files are below it
 * @param schemaLibrary absolute
 * @param adopts the writer may begin a new journal behind updates that another journal had
 */
record ClusterPlan(String clusterId, Path directory, Path schemaLibrary, ClusterSettings settings, boolean adopts) {
    static final int STORAGE_NODES_MAX = 40;
    static final int AGGREGATORS_MAX = 10;

    /** The writer's name, and that of the folder of its journal. */
    static final String WRITER = "writer";

    /** The processes of a cluster run these. */
    static final List<String> PROGRAMS = List.of("daedalus-storage-node", "daedalus-aggregator", "daedalus-writer");

    /** A process may take so much beside segments: answers, page tables, the heap of the writer. */
    private static final int BESIDE_MIB = 128;
    private static final int MIB_SHIFT = 20;
    private static final String HOST = "127.0.0.1";
    private static final int NODE_PORT_OFFSET = 10;
    private static final int WRITER_PORT_OFFSET = 50;
    private static final Pattern PLAIN_NAME = Pattern.compile("[a-z_][a-z0-9_]*");
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

        /** Writes the option as parse() reads it. */
        @Override
        public String toString() {
            if (column == null) {
                return "round_robin";
            }
            boolean isPlain = PLAIN_NAME.matcher(column).matches();
            return "hash(" + (isPlain ? column : "\"" + column.replace("\"", "\"\"") + "\"") + ")";
        }
    }

    /**
     * One process to start.
     *
     * @param configuration its file, or null when it takes flags
     * @param own a path below the data directory that its command line names, and that of no other process
     * @param arguments after the program's name
     */
    record Member(String name, String program, String endpoint, Path configuration, Path own,
            List<String> arguments) {}

    ClusterPlan(String clusterId, Path directory, Path schemaLibrary, ClusterSettings settings) {
        this(clusterId, directory, schemaLibrary, settings, false);
    }

    /** Returns a copy whose writer begins a new journal, because the old one is lost. */
    ClusterPlan adopting() {
        return new ClusterPlan(clusterId, directory, schemaLibrary, settings, true);
    }

    String nodeEndpoint(int node) {
        return HOST + ":" + (settings.port() + NODE_PORT_OFFSET + node);
    }

    String aggregatorEndpoint(int aggregator) {
        return HOST + ":" + (settings.port() + aggregator);
    }

    /** Returns the endpoint for clients of PostgreSQL's protocol. */
    String postgresEndpoint(int aggregator) {
        return HOST + ":" + (settings.postgresPort() + aggregator);
    }

    String writerEndpoint() {
        return HOST + ":" + (settings.port() + WRITER_PORT_OFFSET);
    }

    List<Member> nodes() {
        List<Member> members = new ArrayList<>();
        for (int node = 0; node < settings.storageNodes(); node++) {
            members.add(configured("node-" + node, PROGRAMS.get(0), nodeEndpoint(node)));
        }
        return members;
    }

    List<Member> aggregatorMembers() {
        List<Member> members = new ArrayList<>();
        for (int aggregator = 0; aggregator < settings.aggregators(); aggregator++) {
            members.add(configured("aggregator-" + aggregator, PROGRAMS.get(1), aggregatorEndpoint(aggregator)));
        }
        return members;
    }

    Member writer() {
        List<String> dialled = aggregatorMembers().stream().map(Member::endpoint).toList();
        List<String> arguments = new ArrayList<>(List.of(
                "--aggregators", String.join(",", dialled), "--listen", writerEndpoint(), "--name", WRITER));
        Path folder = directory.resolve(WRITER);
        arguments.addAll(settings.durability().keepsRows() ? List.of("--journal-dir", folder.toString())
                : List.of("--no-journal-in", folder.toString()));
        if (adopts) {
            arguments.add("--adopt");
        }
        return new Member(WRITER, PROGRAMS.get(2), writerEndpoint(), null, folder, List.copyOf(arguments));
    }

    /** Returns the processes that read a configuration file, in the order in which they start. */
    List<Member> configured() {
        List<Member> members = new ArrayList<>(nodes());
        members.addAll(aggregatorMembers());
        return members;
    }

    /** Refuses ports of which two parts of the cluster would want the same. */
    void checkPorts() throws CliException {
        Map<String, String> owners = new LinkedHashMap<>();
        members().forEach(member -> owners.put(member.endpoint(), member.name()));
        for (int aggregator = 0; aggregator < settings.aggregators(); aggregator++) {
            String endpoint = postgresEndpoint(aggregator);
            String owner = owners.get(endpoint);
            if (owner != null) {
                throw CliException.usage("two parts of the cluster would have port "
                        + endpoint.substring(HOST.length() + 1) + ": " + owner + ", as --port is " + settings.port()
                        + ", and aggregator-" + aggregator + " for clients of PostgreSQL, as --postgres-port is "
                        + settings.postgresPort() + ": choose another --postgres-port; " + settings.port() + " to "
                        + (settings.port() + WRITER_PORT_OFFSET) + " are for the cluster's own");
            }
        }
    }

    /** Returns all, in the order in which they start. */
    List<Member> members() {
        List<Member> members = configured();
        members.add(writer());
        return members;
    }

    /** Returns the name of the table. */
    String table() {
        return schemaLibrary.getFileName().toString().replaceFirst("\\.so$", "");
    }

    private Member configured(String name, String program, String endpoint) {
        Path file = directory.resolve(name + ".toml");
        return new Member(name, program, endpoint, file, file, List.of("--config", file.toString()));
    }

    /** Returns how many bytes the rows of all storage nodes may take. */
    long segmentBytes() {
        return (long) settings.storageNodes() * settings.segments() * settings.segmentMib() << MIB_SHIFT;
    }

    /**
     * Refuses segments that do not fit into the machine together: each node knows only of its own.
     *
     * @param memory what the machine has
     */
    void checkMemory(MachineMemory memory) throws CliException {
        int processes = settings.storageNodes() + settings.aggregators() + 1;
        long beside = (long) processes * BESIDE_MIB;
        long raised = settings.answers().raisedMib(settings.storageNodes(), settings.aggregators());
        long room = Math.max(0, (memory.availableBytes() >> MIB_SHIFT) - beside - raised);
        int count = settings.storageNodes() * settings.segments();
        long wanted = (long) count * (settings.segmentMib() + settings.windowMib());
        if (wanted <= room) {
            return;
        }
        long fitting = room / count - settings.windowMib();
        throw CliException.usage(count + " segments of " + settings.segmentMib() + " MiB, each with a window of "
                + settings.windowMib() + " MiB, take " + wanted + " MiB of memory (--storage-nodes, --segments, "
                + "--segment-mib, --window-mib): " + room + " MiB are left for them, as "
                + (memory.availableBytes() >> MIB_SHIFT) + " of the machine's " + (memory.totalBytes() >> MIB_SHIFT)
                + " MiB are available and each of " + processes + " processes keeps " + BESIDE_MIB + " MiB free"
                + (raised > 0 ? " and --answer-mib adds " + raised + " MiB for answers; " : "; ")
                + (fitting > 0 ? "--segment-mib " + fitting + " fits" : "have fewer segments or processes"));
    }

    /** Returns all configuration files by name. */
    Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("cluster.toml", clusterFile());
        for (int node = 0; node < settings.storageNodes(); node++) {
            files.put("node-" + node + ".toml", nodeFile(node));
        }
        for (int aggregator = 0; aggregator < settings.aggregators(); aggregator++) {
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
                .append("distribution = ").append(quote(settings.partitionBy().distribution())).append('\n')
                .append("columns = ").append(settings.partitionBy().columns()).append('\n')
                .append("segment_distribution = ").append(quote(settings.segmentBy().distribution())).append('\n')
                .append("segment_columns = ").append(settings.segmentBy().columns()).append('\n');
        for (int node = 0; node < settings.storageNodes(); node++) {
            text.append("[[partition_map.partitions]]\nnodes = [").append(node).append("]\n");
        }
        for (int node = 0; node < settings.storageNodes(); node++) {
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
                + "segments = " + settings.segments() + "\n"
                + "segment_mib = " + settings.segmentMib() + "\n"
                + (settings.windowMib() == ClusterSettings.WINDOW_MIB_DEFAULT ? ""
                        : "window_mib = " + settings.windowMib() + "\n")
                + "cores = []\n"
                + settings.answers().nodeLines()
                + settings.durability().nodeLines();
    }

    private String aggregatorFile(int aggregator) {
        return "cluster = \"cluster.toml\"\n"
                + "name = \"aggregator-" + aggregator + "\"\n"
                + "listen = " + quote(aggregatorEndpoint(aggregator)) + "\n"
                + "postgres_listen = " + quote(postgresEndpoint(aggregator)) + "\n"
                + settings.users().map(users -> "postgres_users = " + quote(users) + "\n")
                        .orElse("postgres_trust = \"loopback\"\n")
                + settings.blockWrites().aggregatorLines()
                + "postgres_catalogue = \"on\"\n"
                + "sql_threads = 1\n"
                + settings.answers().aggregatorLines();
    }

    /** Returns a TOML basic string. */
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
