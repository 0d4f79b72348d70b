package org.daedalus.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A cluster that `up` started on this machine, as its data directory remembers it in {@code cluster.pids}: one line
 * per process:
 * name, endpoint, process id, and an argument that tells the process from another one that got its id later. Each logs
 * to a file beside it, under its own name.
 *
 * @param directory the data directory
 * @param processes in the order they were started
 */
record LocalCluster(Path directory, List<Member> processes) {
    private static final String FILE = "cluster.pids";
    private static final String AGGREGATOR = "aggregator-";
    private static final int LAST_WORDS_LINES = 2;

    /**
     * One process.
     *
     * @param log what it wrote; null: nobody knows
     */
    record Member(String name, String endpoint, long pid, String argument, Path log) {
        /** The last lines it logged, which say why it ended where it had time to say so. */
        List<String> lastWords() {
            try {
                List<String> lines = log == null ? List.of() : Launcher.tail(log, LAST_WORDS_LINES);
                return lines.stream().filter(line -> !line.isBlank()).toList();
            } catch (IOException e) {
                return List.of("its log cannot be read: " + e.getMessage());
            }
        }

        /** Whether the process runs and is the one that was started. */
        boolean isAlive() {
            try {
                byte[] commandLine = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
                String text = new String(commandLine, StandardCharsets.UTF_8);
                return List.of(text.split("\0")).contains(argument);
            } catch (IOException e) {
                return false;
            }
        }
    }

    static Optional<LocalCluster> read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        List<Member> members = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            String[] fields = line.split("\t");
            if (fields.length != 4) {
                throw new IOException(file + " is damaged: \"" + line + "\"");
            }
            members.add(new Member(fields[0], fields[1], Long.parseLong(fields[2]), fields[3],
                    Launcher.log(directory, fields[0])));
        }
        return Optional.of(new LocalCluster(directory, List.copyOf(members)));
    }

    void write() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Member member : processes) {
            text.append(String.join("\t", member.name, member.endpoint, Long.toString(member.pid), member.argument))
                    .append('\n');
        }
        Files.writeString(directory.resolve(FILE), text);
    }

    void delete() throws IOException {
        Files.deleteIfExists(directory.resolve(FILE));
    }

    /** The aggregators' endpoints. */
    List<String> aggregators() {
        return processes.stream().filter(member -> member.name.startsWith(AGGREGATOR)).map(Member::endpoint).toList();
    }

    List<Member> alive() {
        return processes.stream().filter(Member::isAlive).toList();
    }
}
