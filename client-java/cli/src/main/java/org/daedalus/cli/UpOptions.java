package org.daedalus.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** Collects what the command line says of a cluster; the rest is the data directory's, or a default. */
final class UpOptions {
    private static final int PORT_DEFAULT = 7400;
    private static final int PORT_MAX = 65_000;
    private static final int STORAGE_NODES_DEFAULT = 2;
    private static final int SEGMENTS_DEFAULT = 2;
    private static final int SEGMENTS_MAX = 1_024;
    private static final int SEGMENT_MIB_DEFAULT = 128;
    private static final int SEGMENT_MIB_MAX = 1 << 20;
    private static final int WINDOW_MIB_MAX = 1 << 20;

    /** Stands for no passwords in the place of a file. */
    private static final String TRUST = "trust";

    @Option(names = "--storage-nodes", paramLabel = "N", description = "default: " + STORAGE_NODES_DEFAULT)
    private Integer storageNodes;

    @Option(names = "--segments", paramLabel = "S",
            description = "segments of each storage node (default: " + SEGMENTS_DEFAULT + ")")
    private Integer segments;

    @Option(names = "--aggregators", paramLabel = "A", description = "default: 1")
    private Integer aggregators;

    @Option(names = "--partition-by", paramLabel = "'hash(COL)'|round_robin",
            description = "which storage node holds a row (default: round_robin)")
    private String partitionBy;

    @Option(names = "--segment-by", paramLabel = "'hash(COL)'|round_robin",
            description = "which segment of its node holds a row (default: round_robin)")
    private String segmentBy;

    @Option(names = "--segment-mib", paramLabel = "M",
            description = "memory of one segment, MiB (default: " + SEGMENT_MIB_DEFAULT + ")")
    private Integer segmentMib;

    @Option(names = "--window-mib", paramLabel = "M", description = "memory of one segment for values that updates "
            + "overwrote, MiB: so far back queries can ask (default: " + ClusterSettings.WINDOW_MIB_DEFAULT + ")")
    private Integer windowMib;

    @Option(names = "--answer-mib", paramLabel = "M", description = "most memory of one answer, MiB: larger ones end "
            + "with 54000 (default: 64 of each storage node, 256 in all); `daedalus export` takes out a whole table")
    private Integer answerMib;

    @Option(names = "--durability", paramLabel = "sync|async|off", description = "whether updates are synced to disk "
            + "before they are confirmed, soon after, or never: then rows are gone with the processes (default: sync)")
    private String durability;

    @Option(names = "--sync-ms", paramLabel = "N", description = "with --durability async: how long an update may "
            + "wait to be synced, in ms (default: " + Durability.SYNC_MS_DEFAULT + ")")
    private Integer syncMs;

    @Option(names = "--port", paramLabel = "P", description = "aggregators take P and up, storage nodes P+10 and up, "
            + "the writer P+50 (default: " + PORT_DEFAULT + ")")
    private Integer port;

    @Option(names = "--postgres-port", paramLabel = "P", description = "where psql and other clients of PostgreSQL's "
            + "protocol find the first aggregator; the others take P+1 and up (default: 5433, or with --port P: P+51)")
    private Integer postgresPort;

    @Option(names = "--users", paramLabel = "FILE|" + TRUST, description = "who may log in by PostgreSQL's protocol, "
            + "with a password: `daedalus user` writes that file; " + TRUST + ": everybody on this machine, without a "
            + "password (default: " + TRUST + ")")
    private String users;

    @Option(names = "--block-writes", paramLabel = "refuse|immediate", description = "what clients of PostgreSQL's "
            + "protocol begin with as daedalus.block_writes: whether UPDATE and DELETE are refused in a block, or each "
            + "write of a block takes effect at once and stays, whatever becomes of the block (default: refuse)")
    private String blockWrites;

    /** Says whether the command line names the cluster's port. */
    boolean namesPort() {
        return port != null;
    }

    /** Returns the port that names the default data directory. */
    int portOfDirectory() throws CliException {
        return inRange("--port", port, PORT_DEFAULT, 1, PORT_MAX);
    }

    /**
     * Completes the options to the settings of a cluster.
     *
     * @param kept what its data directory says; what is not given is taken from there
     */
    ClusterSettings over(Optional<ClusterSettings> kept) throws CliException {
        return over(kept, kept.map(ClusterSettings::durability).orElse(Durability.DEFAULT));
    }

    /** Refuses what is wrong whatever a data directory says. */
    void check() throws CliException {
        over(Optional.empty(), new Durability(Durability.Mode.ASYNC, Durability.SYNC_MS_DEFAULT));
    }

    private ClusterSettings over(Optional<ClusterSettings> kept, Durability durabilityKept) throws CliException {
        int basePort = inRange("--port", port, kept.map(ClusterSettings::port).orElse(PORT_DEFAULT), 1, PORT_MAX);
        return new ClusterSettings(
                inRange("--storage-nodes", storageNodes,
                        kept.map(ClusterSettings::storageNodes).orElse(STORAGE_NODES_DEFAULT), 1,
                        ClusterPlan.STORAGE_NODES_MAX),
                inRange("--segments", segments, kept.map(ClusterSettings::segments).orElse(SEGMENTS_DEFAULT), 1,
                        SEGMENTS_MAX),
                inRange("--segment-mib", segmentMib,
                        kept.map(ClusterSettings::segmentMib).orElse(SEGMENT_MIB_DEFAULT), 1, SEGMENT_MIB_MAX),
                inRange("--window-mib", windowMib,
                        kept.map(ClusterSettings::windowMib).orElse(ClusterSettings.WINDOW_MIB_DEFAULT), 1,
                        WINDOW_MIB_MAX),
                placement("--partition-by", partitionBy, kept.map(ClusterSettings::partitionBy)),
                placement("--segment-by", segmentBy, kept.map(ClusterSettings::segmentBy)),
                durability(durabilityKept),
                inRange("--aggregators", aggregators, kept.map(ClusterSettings::aggregators).orElse(1), 1,
                        ClusterPlan.AGGREGATORS_MAX),
                answers(kept),
                basePort,
                inRange("--postgres-port", postgresPort,
                        kept.filter(there -> there.port() == basePort).map(ClusterSettings::postgresPort)
                                .orElse(ClusterSettings.postgresPortOf(basePort)), 1, PORT_MAX),
                users == null ? kept.flatMap(ClusterSettings::users) : usersFile(),
                blockWrites == null ? kept.map(ClusterSettings::blockWrites).orElse(BlockWrites.REFUSE)
                        : BlockWrites.parse(blockWrites));
    }

    private Optional<String> usersFile() {
        return users.equals(TRUST) ? Optional.empty()
                : Optional.of(Path.of(users).toAbsolutePath().normalize().toString());
    }

    private static int inRange(String option, Integer given, int otherwise, int min, int max) throws CliException {
        if (given == null) {
            return otherwise;
        }
        if (given < min || given > max) {
            throw CliException.usage(option + " must be " + min + " to " + max + ", not " + given);
        }
        return given;
    }

    private static ClusterPlan.Placement placement(String option, String given,
            Optional<ClusterPlan.Placement> otherwise) throws CliException {
        return given != null ? ClusterPlan.Placement.parse(option, given)
                : otherwise.orElse(new ClusterPlan.Placement(null));
    }

    private Durability durability(Durability otherwise) throws CliException {
        Durability.Mode mode = durability == null ? otherwise.mode() : Durability.Mode.parse(durability);
        if (mode != Durability.Mode.ASYNC) {
            if (syncMs != null) {
                throw CliException.usage("--sync-ms is for --durability async, not for " + mode.word());
            }
            return new Durability(mode, 0);
        }
        int unlessGiven = otherwise.mode() == mode ? otherwise.syncMs() : Durability.SYNC_MS_DEFAULT;
        return new Durability(mode, inRange("--sync-ms", syncMs, unlessGiven, 1, Durability.SYNC_MS_MAX));
    }

    private AnswerRoom answers(Optional<ClusterSettings> kept) throws CliException {
        if (answerMib == null) {
            return kept.map(ClusterSettings::answers).orElse(new AnswerRoom(OptionalInt.empty()));
        }
        return new AnswerRoom(OptionalInt.of(
                inRange("--answer-mib", answerMib, 0, AnswerRoom.MIB_MIN, AnswerRoom.MIB_MAX)));
    }
}
