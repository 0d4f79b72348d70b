package org.daedalus.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.daedalus.channel.Endpoint;
import org.daedalus.cli.user.UsersFile;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * `daedalus up`: compiles the schema, writes the configuration, starts all processes, returns when they serve. On a
 * data directory that keeps a table it takes that up again, as it was planned there.
 */
@Command(name = "up", mixinStandardHelpOptions = true,
        description = {"Starts a local cluster in the background and returns when it is ready.",
            "On the data directory of an earlier one it brings that back, table and all; what is not given is as it "
                    + "was there."},
        footer = {"", "Without --users everybody on this machine may log in by PostgreSQL's protocol, and do "
            + "everything. With --users a password is asked for there, and there alone: the cluster's other ports "
            + "(--port and those after it), which `daedalus` and the Java client use, listen on this machine only, "
            + "and still take anybody on it without a password."})
final class UpCommand implements Callable<Integer> {
    @Option(names = "--schema", paramLabel = "FILE.sql",
            description = "a file with one CREATE TABLE; not needed where a cluster was before")
    private Path schemaFile;

    @Mixin
    private UpOptions options;

    @Option(names = "--data-dir", paramLabel = "DIR", description = "where the table, configuration and logs go; "
            + "default: that of the last `up` where neither --schema nor --port is given, else cluster-PORT in "
            + "$${XDG_STATE_HOME:-~/.local/state}/daedalus")
    private Path dataDirectory;

    @Option(names = "--discard", description = "give up the table that is in the data directory, and start with none")
    private boolean discards;

    @Option(names = "--adopt", description = "begin a new journal of the writer's where the old one is lost for good: "
            + "updates that it alone had are lost with it. Only for a data directory that keeps a table")
    private boolean adopts;

    private final Programs programs = new Programs();
    private DataDirectory data;
    private Optional<KeptPlan> kept = Optional.empty();
    private ClusterPlan plan;

    @Override
    public Integer call() throws CliException, IOException {
        StateDirectory state = StateDirectory.ofUser();
        options.check();
        if (schemaFile != null && !Files.isReadable(schemaFile)) {
            throw CliException.usage("cannot read " + schemaFile);
        }
        try (DataDirectory opened = DataDirectory.open(directory(state))) {
            data = opened;
            print(start(state));
        }
        return 0;
    }

    /** Chooses the last cluster's directory unless the options say something of another cluster. */
    private Path directory(StateDirectory state) throws CliException, IOException {
        if (dataDirectory != null) {
            return dataDirectory;
        }
        Optional<Path> last = schemaFile == null && !options.namesPort() ? state.lastDataDirectory()
                : Optional.empty();
        return last.isPresent() ? last.get() : state.defaultDataDirectory(options.portOfDirectory());
    }

    private LocalCluster start(StateDirectory state) throws CliException, IOException {
        kept = readPlan();
        ClusterSettings settings = options.over(kept.map(KeptPlan::settings));
        boolean continues = !discards && kept.isPresent() && kept.get().keepsRows();
        if (adopts && !continues) {
            throw CliException.usage("--adopt is for a data directory that keeps a table: " + data.path()
                    + (discards ? " keeps none with --discard" : " keeps none"));
        }
        if (continues) {
            refuseDifferences(settings.differencesFrom(kept.get().settings()));
        }
        new ClusterPlan("", data.path(), data.path(), settings).checkPorts();
        for (String program : ClusterPlan.PROGRAMS) {
            programs.find(program);
        }
        List<LocalCluster.Member> running = running(continues, settings);
        SchemaCompiler compiler = new SchemaCompiler(programs);
        SchemaCompiler.Checked schema = compiler.check(schemaFile != null ? schemaFile : keptSchema());
        if (continues || schemaFile == null) {
            refuseOtherSchema(schema);
        }
        List<Path> removed = continues ? List.of() : removable();
        if (schemaFile != null) {
            System.err.print(schema.notes());
        }
        plan = new ClusterPlan(continues ? kept.get().clusterId() : clusterId(schema.table()), data.path(),
                compiler.compile(schema, data.schemaFolder()), settings);
        checkMachine(running);
        data.writeConfiguration(plan);
        if (settings.users().isPresent()) {
            UsersFile.make(Path.of(settings.users().get()));
        }
        Launcher launcher = new Launcher(programs, data.path());
        for (ClusterPlan.Member member : plan.configured()) {
            launcher.check(member);
        }
        KeptPlan fresh = new KeptPlan(false, plan.clusterId(), schema.fingerprint(), settings);
        if (!continues) {
            make(fresh, schema, removed, launcher);
        }
        fresh.made().write(data.path());
        return new ClusterStart(adopts ? plan.adopting() : plan, launcher, ClusterStart.readyMax(plan), running)
                .run(state::remember);
    }

    private Optional<KeptPlan> readPlan() throws CliException, IOException {
        try {
            return data.plan();
        } catch (CliException e) {
            if (discards) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void refuseDifferences(List<String> differences) throws CliException {
        if (!differences.isEmpty()) {
            throw CliException.usage("the cluster in " + data.path() + " was made otherwise: "
                    + String.join("; ", differences) + ". Leave out what differs to bring it back, choose another "
                    + "--data-dir for another cluster, or give up its table with --discard");
        }
    }

    private Path keptSchema() throws CliException {
        if (kept.isEmpty() || !Files.isReadable(data.schemaFile())) {
            throw CliException.usage("there is no schema in " + data.path() + " yet: give --schema FILE.sql");
        }
        return data.schemaFile();
    }

    private void refuseOtherSchema(SchemaCompiler.Checked schema) throws CliException {
        String there = kept.orElseThrow().fingerprint();
        if (!schema.fingerprint().equals(there)) {
            throw CliException.usage("the cluster in " + data.path() + " is of the schema with fingerprint " + there
                    + ", " + schema.file() + " has " + schema.fingerprint() + ": "
                    + (schemaFile == null ? "give --schema FILE.sql"
                            : "leave out --schema to bring the cluster back, choose another --data-dir for another "
                                    + "one, or give up its table with --discard"));
        }
    }

    /** Processes of the cluster that need not be started: some of them have died, and these have not. */
    private List<LocalCluster.Member> running(boolean continues, ClusterSettings settings)
            throws CliException, IOException {
        Optional<LocalCluster> known = LocalCluster.find(data.path());
        List<LocalCluster.Member> alive = known.map(LocalCluster::alive).orElse(List.of());
        if (alive.isEmpty()) {
            return alive;
        }
        boolean isWhole = alive.size() == settings.storageNodes() + settings.aggregators() + 1;
        if (isWhole || !continues || !settings.equals(kept.get().settings())) {
            throw CliException.failed("a cluster is running in " + data.path() + " (" + alive.get(0).name()
                    + " is process " + alive.get(0).pid() + "): stop it with `daedalus down --data-dir "
                    + data.path() + "`");
        }
        System.err.println("Still running: " + String.join(", ", alive.stream().map(LocalCluster.Member::name).toList())
                + "; what has ended is started again");
        return alive;
    }

    /**
     * Lists the files that go when the cluster is made, and says so where they are more than the rest of an interrupted
     * start.
     */
    private List<Path> removable() throws CliException, IOException {
        if (kept.isEmpty() && !discards && data.hasRows()) {
            throw CliException.failed(data.path() + " has rows of a cluster, but no " + KeptPlan.FILE
                    + ", which says of what cluster: put that file back, choose another --data-dir, or give up "
                    + "the rows with --discard");
        }
        return data.kept();
    }

    private void checkMachine(List<LocalCluster.Member> running) throws CliException {
        Optional<MachineMemory> memory = MachineMemory.read();
        if (memory.isPresent() && running.isEmpty()) {  // Processes that run have taken their part.
            plan.checkMemory(memory.get());
        }
        List<String> endpoints = new ArrayList<>();
        plan.aggregatorMembers().forEach(member -> endpoints.add(member.endpoint()));
        plan.nodes().forEach(member -> endpoints.add(member.endpoint()));
        endpoints.add(plan.writerEndpoint());
        running.forEach(member -> endpoints.remove(member.endpoint()));
        for (String endpoint : endpoints) {
            refusePortInUse(endpoint, "--port");
        }
        for (int aggregator = 0; aggregator < plan.settings().aggregators(); aggregator++) {
            String dialled = plan.aggregatorEndpoint(aggregator);
            if (running.stream().noneMatch(member -> member.endpoint().equals(dialled))) {
                refusePortInUse(plan.postgresEndpoint(aggregator), "--postgres-port");
            }
        }
    }

    private static void refusePortInUse(String text, String option) throws CliException {
        Endpoint endpoint = Endpoint.parse(text);
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getByName(endpoint.host()), endpoint.port()));
        } catch (IOException e) {
            throw CliException.failed("port " + endpoint.port() + " is in use (" + e.getMessage()
                    + "): choose another " + option + ", or stop what listens on " + text);
        }
    }

    /** Makes the data directory that of a new cluster. Interrupted anywhere, it begins anew the next time. */
    private void make(KeptPlan fresh, SchemaCompiler.Checked schema, List<Path> removed, Launcher launcher)
            throws CliException, IOException {
        sayWhatIsLost(fresh);
        fresh.write(data.path());
        data.remove(removed);
        if (discards) {
            data.remove(data.ofMembers());
        }
        data.writeConfiguration(plan);
        DurableFile.replace(data.schemaFile(), Files.readAllBytes(schema.file()));
        if (plan.settings().durability().keepsRows()) {
            data.makeJournalFolder();
            for (ClusterPlan.Member node : plan.nodes()) {
                launcher.initialise(node);
            }
        }
    }

    private void sayWhatIsLost(KeptPlan fresh) throws IOException {
        boolean wasKept = kept.map(KeptPlan::keepsRows).orElse(data.hasRows());
        if (kept.isPresent() && kept.get().isMade() && !kept.get().keepsRows()) {
            System.err.println("NOTICE:  the table that was in " + data.path() + " is lost: it was one of a cluster "
                    + "with --durability off, which keeps rows in memory only");
        } else if (discards && wasKept) {
            System.err.println("NOTICE:  the table that was in " + data.path() + " is given up (--discard)");
        }
        if (!fresh.settings().durability().keepsRows()) {
            System.err.println("NOTICE:  --durability off: rows are in memory only, and lost as soon as a storage node "
                    + "stops");
        }
    }

    private static String clusterId(String table) {
        byte[] random = new byte[2];
        new SecureRandom().nextBytes(random);
        return table + "-" + HexFormat.of().formatHex(random);
    }

    private void print(LocalCluster cluster) {
        System.out.println("Table " + plan.table() + " is served:");
        for (LocalCluster.Member member : cluster.processes()) {
            System.out.printf("  %-14s %-18s process %d%n", member.name(), member.endpoint(), member.pid());
        }
        System.out.println("psql and other clients of PostgreSQL, "
                + plan.settings().users().map(file -> "with a password of " + file + " (`daedalus user add`)")
                        .orElse("on this machine and without a password")
                + ": psql -h 127.0.0.1 -p " + plan.settings().postgresPort() + " " + plan.table());
        if (plan.settings().users().isPresent()) {
            System.out.println("The other ports, for `daedalus` and the Java client, take anybody on this machine "
                    + "without a password");
        }
        System.out.println("Data, logs and configuration: " + cluster.directory());
        printRoom(cluster);
    }

    private static void printRoom(LocalCluster cluster) {
        try (DaedalusClient client = DaedalusClient.builder().aggregators(cluster.aggregators().get(0))
                .name("daedalus-cli").build()) {
            TableRoom room = TableRoom.ask(client);
            System.out.println(room.sentence());
            if (!room.note().isEmpty()) {
                System.err.println("NOTICE:  " + room.note());
            }
        } catch (DaedalusException e) {
            System.err.println("How many rows fit is not known: " + e.getMessage());
        }
    }
}
