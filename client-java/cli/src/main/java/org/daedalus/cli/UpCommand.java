package org.daedalus.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.daedalus.channel.Endpoint;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** `daedalus up`: compiles the schema, writes the configuration, starts all processes, returns when they serve. */
@Command(name = "up", mixinStandardHelpOptions = true,
        description = "Starts a local cluster in the background and returns when it is ready.")
final class UpCommand implements Callable<Integer> {
    private static final Pattern COMPILED = Pattern.compile("^(.+): \\d+ columns, fingerprint ", Pattern.MULTILINE);
    private static final int PORT_MAX = 65_000;
    private static final int SEGMENTS_MAX = 1_024;
    private static final int SEGMENT_MIB_MAX = 1 << 20;

    @Option(names = "--schema", required = true, paramLabel = "FILE.sql", description = "a file with one CREATE TABLE")
    private Path schema;

    @Option(names = "--storage-nodes", paramLabel = "N", defaultValue = "2", description = "default: ${DEFAULT-VALUE}")
    private int storageNodes;

    @Option(names = "--segments", paramLabel = "S", defaultValue = "2",
            description = "segments of each storage node (default: ${DEFAULT-VALUE})")
    private int segments;

    @Option(names = "--aggregators", paramLabel = "A", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
    private int aggregators;

    @Option(names = "--partition-by", paramLabel = "'hash(COL)'|round_robin", defaultValue = "round_robin",
            description = "which storage node holds a row (default: ${DEFAULT-VALUE})")
    private String partitionBy;

    @Option(names = "--segment-by", paramLabel = "'hash(COL)'|round_robin", defaultValue = "round_robin",
            description = "which segment of its node holds a row (default: ${DEFAULT-VALUE})")
    private String segmentBy;

    @Option(names = "--segment-mib", paramLabel = "M", defaultValue = "128",
            description = "memory of one segment, MiB (default: ${DEFAULT-VALUE})")
    private int segmentMib;

    @Option(names = "--answer-mib", paramLabel = "M", description = "most memory of one answer, MiB: larger ones end "
            + "with 54000 (default: 64 of each storage node, 256 in all); `daedalus export` takes out a whole table")
    private Integer answerMib;

    @Option(names = "--data-dir", paramLabel = "DIR", description = "where configuration, logs and epochs go; default: "
            + "cluster-PORT in $${XDG_STATE_HOME:-~/.local/state}/daedalus")
    private Path dataDirectory;

    @Option(names = "--port", paramLabel = "P", defaultValue = "7400", description = "aggregators take P and up, "
            + "storage nodes P+10 and up, the writer P+50 (default: ${DEFAULT-VALUE})")
    private int port;

    @Override
    public Integer call() throws CliException, IOException {
        checkRange("--storage-nodes", storageNodes, 1, ClusterPlan.STORAGE_NODES_MAX);
        checkRange("--segments", segments, 1, SEGMENTS_MAX);
        checkRange("--aggregators", aggregators, 1, ClusterPlan.AGGREGATORS_MAX);
        checkRange("--segment-mib", segmentMib, 1, SEGMENT_MIB_MAX);
        AnswerRoom answers = new AnswerRoom(answerMib == null ? OptionalInt.empty() : OptionalInt.of(answerMib));
        if (answerMib != null) {
            checkRange("--answer-mib", answerMib, AnswerRoom.MIB_MIN, AnswerRoom.MIB_MAX);
        }
        checkRange("--port", port, 1, PORT_MAX);
        ClusterPlan.Placement partition = ClusterPlan.Placement.parse("--partition-by", partitionBy);
        ClusterPlan.Placement segment = ClusterPlan.Placement.parse("--segment-by", segmentBy);
        if (!Files.isReadable(schema)) {
            throw CliException.usage("cannot read " + schema);
        }
        StateDirectory state = StateDirectory.ofUser();
        Path directory = (dataDirectory != null ? dataDirectory : state.defaultDataDirectory(port)).toAbsolutePath();
        directory = Files.createDirectories(directory).toRealPath();
        refuseIfRunning(directory);
        Programs programs = new Programs();
        for (String program : ClusterPlan.PROGRAMS) {
            programs.find(program);
        }
        Path library = compileSchema(programs, directory);
        String table = library.getFileName().toString().replaceFirst("\\.so$", "");
        ClusterPlan plan = new ClusterPlan(clusterId(table), directory, library, storageNodes, segments, aggregators,
                partition, segment, segmentMib, answers, port);
        Optional<MachineMemory> memory = MachineMemory.read();
        if (memory.isPresent()) {
            plan.checkMemory(memory.get());
        }
        refusePortsInUse(plan);
        writeConfiguration(plan);
        LocalCluster cluster = new ClusterStart(plan, new Launcher(programs, directory),
                ClusterStart.readyMax(plan)).run();
        state.remember(cluster);
        print(cluster, table);
        return 0;
    }

    private static void checkRange(String option, int value, int min, int max) throws CliException {
        if (value < min || value > max) {
            throw CliException.usage(option + " must be " + min + " to " + max + ", not " + value);
        }
    }

    private static void refuseIfRunning(Path directory) throws CliException, IOException {
        Optional<LocalCluster> known = LocalCluster.read(directory);
        if (known.isPresent() && !known.get().alive().isEmpty()) {
            throw CliException.failed("a cluster is running in " + directory + " (" + known.get().alive().get(0).name()
                    + " is process " + known.get().alive().get(0).pid() + "): stop it with `daedalus down --data-dir "
                    + directory + "`");
        }
    }

    private static String clusterId(String table) {
        byte[] random = new byte[2];
        new SecureRandom().nextBytes(random);
        return table + "-" + HexFormat.of().formatHex(random);
    }

    private Path compileSchema(Programs programs, Path directory) throws CliException, IOException {
        Path output = Files.createDirectories(directory.resolve("schema"));
        Process compiler = programs.schemaCompiler(schema.toAbsolutePath(), output)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode;
        try {
            exitCode = compiler.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.failed("interrupted");
        }
        if (exitCode != 0) {
            throw new CliException(exitCode == CliException.USAGE ? CliException.USAGE : CliException.FAILED,
                    "the schema was not compiled: " + schema);
        }
        Matcher compiled = COMPILED.matcher(said);
        Path library = compiled.find() ? output.resolve(compiled.group(1) + ".so") : null;
        if (library == null || !Files.isReadable(library)) {
            throw CliException.failed("the schema compiler gave no library: " + said.strip());
        }
        return library;
    }

    private static void refusePortsInUse(ClusterPlan plan) throws CliException {
        List<String> endpoints = new ArrayList<>();
        plan.aggregatorMembers().forEach(member -> endpoints.add(member.endpoint()));
        plan.nodes().forEach(member -> endpoints.add(member.endpoint()));
        endpoints.add(plan.writerEndpoint());
        for (String text : endpoints) {
            Endpoint endpoint = Endpoint.parse(text);
            try (ServerSocket probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(new InetSocketAddress(InetAddress.getByName(endpoint.host()), endpoint.port()));
            } catch (IOException e) {
                throw CliException.failed("port " + endpoint.port() + " is in use (" + e.getMessage()
                        + "): choose another --port, or stop what listens on " + text);
            }
        }
    }

    private static void writeConfiguration(ClusterPlan plan) throws IOException {
        for (var file : plan.files().entrySet()) {
            Files.writeString(plan.directory().resolve(file.getKey()), file.getValue());
        }
        for (ClusterPlan.Member node : plan.nodes()) {
            // Rows live in memory: what an earlier cluster left on disk would only say that they are lost.
            Path data = plan.directory().resolve(node.name());
            deleteFiles(data);
            Files.createDirectories(data);
        }
    }

    private static void deleteFiles(Path data) throws IOException {
        if (!Files.isDirectory(data)) {
            return;
        }
        try (Stream<Path> files = Files.list(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void print(LocalCluster cluster, String table) {
        System.out.println("Table " + table + " is served:");
        for (LocalCluster.Member member : cluster.processes()) {
            System.out.printf("  %-14s %-18s process %d%n", member.name(), member.endpoint(), member.pid());
        }
        System.out.println("Data, logs and configuration: " + cluster.directory());
    }
}
