package org.daedalus.cli;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;

/**
 * The plan that `up` made in a data directory, as the file {@code cluster.plan} keeps it: one line "name = value" each
 * (docs/configuration.md).
 *
 * @param isMade whether everything that the plan names was there once: until then no process was started on it
 * @param fingerprint of the schema, as the schema compiler says it
 */
record KeptPlan(boolean isMade, String clusterId, String fingerprint, ClusterSettings settings) {
    static final String FILE = "cluster.plan";

    private static final String VERSION = "1";
    private static final String HEAD = "# What `daedalus up` planned here, and takes up again. Written by it alone.\n";

    /** Says whether there may be rows that this plan is the key to. */
    boolean keepsRows() {
        return isMade && settings.durability().keepsRows();
    }

    KeptPlan made() {
        return new KeptPlan(true, clusterId, fingerprint, settings);
    }

    /** Reads the plan of a directory; returns nothing where there is none. */
    static Optional<KeptPlan> read(Path directory) throws CliException, IOException {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse(Files.readString(file)));
        } catch (CliException | IllegalArgumentException | java.nio.charset.CharacterCodingException e) {
            throw CliException.failed(file + " is damaged (" + e.getMessage()
                    + "): put a copy of it back, or give up what is there with --discard");
        }
    }

    private static KeptPlan parse(String text) throws CliException, IOException {
        Properties values = new Properties();
        values.load(new StringReader(text));
        if (!value(values, "version").equals(VERSION)) {
            throw new IllegalArgumentException("version " + value(values, "version") + " is not " + VERSION);
        }
        String answerMib = values.getProperty("answer_mib");
        ClusterSettings settings = new ClusterSettings(number(values, "storage_nodes"), number(values, "segments"),
                number(values, "segment_mib"),
                values.getProperty("window_mib") == null ? ClusterSettings.WINDOW_MIB_DEFAULT
                        : number(values, "window_mib"),
                ClusterPlan.Placement.parse("partition_by", value(values, "partition_by")),
                ClusterPlan.Placement.parse("segment_by", value(values, "segment_by")),
                new Durability(Durability.Mode.parse(value(values, "durability")), number(values, "sync_ms")),
                number(values, "aggregators"),
                new AnswerRoom(answerMib == null ? OptionalInt.empty() : OptionalInt.of(number(values, "answer_mib"))),
                number(values, "port"),
                values.getProperty("postgres_port") == null ? ClusterSettings.postgresPortOf(number(values, "port"))
                        : number(values, "postgres_port"),
                Optional.ofNullable(values.getProperty("postgres_users")),
                BlockWrites.parse(values.getProperty("postgres_block_writes", BlockWrites.REFUSE.word())));
        return new KeptPlan(value(values, "made").equals("yes"), value(values, "cluster_id"),
                value(values, "schema_fingerprint"), settings);
    }

    private static String value(Properties values, String name) {
        String value = values.getProperty(name);
        if (value == null) {
            throw new IllegalArgumentException("no " + name);
        }
        return value;
    }

    private static int number(Properties values, String name) {
        String text = value(values, name);
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is " + text, e);
        }
    }

    /** Replaces what the directory says; when this returns, it outlives a power cut. */
    void write(Path directory) throws IOException {
        DurableFile.replace(directory.resolve(FILE), render());
    }

    String render() {
        StringBuilder text = new StringBuilder(HEAD);
        line(text, "version", VERSION);
        line(text, "made", isMade ? "yes" : "no");
        line(text, "cluster_id", clusterId);
        line(text, "schema_fingerprint", fingerprint);
        line(text, "storage_nodes", settings.storageNodes());
        line(text, "segments", settings.segments());
        line(text, "segment_mib", settings.segmentMib());
        if (settings.windowMib() != ClusterSettings.WINDOW_MIB_DEFAULT) {
            line(text, "window_mib", settings.windowMib());
        }
        line(text, "partition_by", settings.partitionBy());
        line(text, "segment_by", settings.segmentBy());
        line(text, "durability", settings.durability().mode().word());
        line(text, "sync_ms", settings.durability().syncMs());
        line(text, "aggregators", settings.aggregators());
        settings.answers().mib().ifPresent(mib -> line(text, "answer_mib", mib));
        line(text, "port", settings.port());
        line(text, "postgres_port", settings.postgresPort());
        settings.users().ifPresent(users -> line(text, "postgres_users", users));
        if (settings.blockWrites() != BlockWrites.REFUSE) {
            line(text, "postgres_block_writes", settings.blockWrites().word());
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String name, Object value) {
        String escaped = value.toString().replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
        text.append(name).append(" = ").append(escaped).append('\n');
    }
}
