package org.daedalus.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
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
        /** Returns the last lines it logged, which say why it ended where it had time to say so. */
        List<String> lastWords() {
            try {
                List<String> lines = log == null ? List.of() : Launcher.tail(log, LAST_WORDS_LINES);
                return lines.stream().filter(line -> !line.isBlank()).toList();
            } catch (IOException e) {
                return List.of("its log cannot be read: " + e.getMessage());
            }
        }

        /** Says whether the process runs and is the one that was started. */
        boolean isAlive() {
            return commandLine(pid).contains(argument);
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

    /**
     * Finds the cluster that read() finds, with the processes that were started on the files of this directory and are
     * in no line: `up` was killed before it could write one.
     */
    static Optional<LocalCluster> find(Path given) throws IOException {
        if (!Files.isDirectory(given)) {
            return Optional.empty();
        }
        Path directory = given.toRealPath();
        Optional<LocalCluster> known = read(directory);
        Optional<KeptPlan> kept = planOf(directory);
        List<Member> members = new ArrayList<>(known.map(LocalCluster::processes).orElse(List.of()));
        if (kept.isPresent()) {
            ClusterPlan plan = new ClusterPlan(kept.get().clusterId(), directory, directory, kept.get().settings());
            List<Long> pids = members.stream().map(Member::pid).toList();
            for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
                if (!pids.contains(process.pid())) {
                    plan.members().stream().filter(member -> runs(process.pid(), member))
                            .forEach(member -> members.add(Launcher.member(directory, member, process.pid())));
                }
            }
        }
        return members.isEmpty() ? Optional.empty()
                : Optional.of(new LocalCluster(directory, List.copyOf(members)));
    }

    /** Reads the plan, and returns nothing where it is damaged: running processes can be stopped nevertheless. */
    private static Optional<KeptPlan> planOf(Path directory) throws IOException {
        try {
            return KeptPlan.read(directory);
        } catch (CliException e) {
            return Optional.empty();
        }
    }

    /** A cluster in another directory may have a process of this name at this endpoint: its files tell it apart. */
    private static boolean runs(long pid, ClusterPlan.Member member) {
        return Collections.indexOfSubList(commandLine(pid), member.arguments()) >= 0;
    }

    private static List<String> commandLine(long pid) {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
            return List.of(new String(bytes, StandardCharsets.UTF_8).split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }

    void write() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Member member : processes) {
            text.append(String.join("\t", member.name, member.endpoint, Long.toString(member.pid), member.argument))
                    .append('\n');
        }
        DurableFile.replace(directory.resolve(FILE), text.toString());
    }

    void delete() throws IOException {
        Files.deleteIfExists(directory.resolve(FILE));
    }

    /** Returns the aggregators' endpoints. */
    List<String> aggregators() {
        return processes.stream().filter(member -> member.name.startsWith(AGGREGATOR)).map(Member::endpoint).toList();
    }

    List<Member> alive() {
        return processes.stream().filter(Member::isAlive).toList();
    }
}
