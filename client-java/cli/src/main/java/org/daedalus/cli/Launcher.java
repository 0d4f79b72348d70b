package org.daedalus.cli;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts and stops processes of a local cluster; knows nothing of what they do. */
final class Launcher {
    private static final int LOG_TAIL_LINES = 20;
    private static final int TAIL_BYTES_MAX = 64 << 10;
    private static final long POLL_MS = 20;

    /**
     * Bounds how long others are waited for.
     *
     * @param checkMs a program that checks its configuration or makes its data directory
     * @param terminateMs a process that has been asked to end, and one that has been killed
     */
    record Limits(long checkMs, long terminateMs) {
        static final Limits DEFAULT = new Limits(20_000, 10_000);
    }

    /** A process of ours that was started; the others know it by its pid. */
    record Started(LocalCluster.Member member, Process process, Path log) {}

    private final Programs programs;
    private final Path directory;

    private final Limits limits;

    Launcher(Programs programs, Path directory) {
        this(programs, directory, Limits.DEFAULT);
    }

    Launcher(Programs programs, Path directory, Limits limits) {
        this.programs = programs;
        this.directory = directory;
        this.limits = limits;
    }

    /** Lets a program check its configuration; an error carries what it said. */
    void check(ClusterPlan.Member member) throws CliException, IOException {
        run(member, "--check-config", "check its configuration");
    }

    /** Lets a storage node make its data directory; an error carries what it said. */
    void initialise(ClusterPlan.Member node) throws CliException, IOException {
        run(node, "--init", "make its data directory");
    }

    private void run(ClusterPlan.Member member, String option, String what) throws CliException, IOException {
        List<String> command = List.of(
                programs.find(member.program()).toString(), option, member.configuration().toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile())).start();
        try {
            if (!process.waitFor(limits.checkMs(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw CliException.failed(member.program() + " did not " + what + " in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.failed("interrupted");
        }
        if (process.exitValue() != 0) {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            throw new CliException(process.exitValue() == CliException.USAGE ? CliException.USAGE : CliException.FAILED,
                    member.program() + " refuses " + member.configuration() + " (" + option + "):\n" + said);
        }
    }

    /**
     * Starts a process in a session of its own, so that it outlives this one and its terminal. Its log is opened to
     * append, which lets the process keep it within bounds; that of an earlier start stays beside it, as NAME.log.1.
     */
    Started start(ClusterPlan.Member member) throws CliException, IOException {
        List<String> command = new ArrayList<>();
        command.add("setsid");
        command.add(programs.find(member.program()).toString());
        command.addAll(member.arguments());
        Path log = log(directory, member.name());
        if (Files.exists(log) && Files.size(log) > 0) {
            Files.move(log, log.resolveSibling(log.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
        DurableFile.open(log).close();
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new Started(member(directory, member, process.pid()), process, log);
    }

    /** Returns a member of the cluster in {@code directory} that runs. */
    static LocalCluster.Member member(Path directory, ClusterPlan.Member member, long pid) {
        return new LocalCluster.Member(member.name(), member.endpoint(), pid, member.own().toString(),
                log(directory, member.name()));
    }

    /** Returns the file to which a process of the cluster in {@code directory} logs. */
    static Path log(Path directory, String name) {
        return directory.resolve(name + ".log");
    }

    /** Returns the last lines a process logged. */
    static String logTail(Path log) throws IOException {
        return String.join("\n", tail(log, LOG_TAIL_LINES));
    }

    /** The last {@code count} lines of a file, or fewer; none when there is no file. */
    static List<String> tail(Path file, int count) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            channel.position(Math.max(0, channel.size() - TAIL_BYTES_MAX));
            byte[] bytes = Channels.newInputStream(channel).readNBytes(TAIL_BYTES_MAX);
            List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
            return lines.subList(Math.max(0, lines.size() - count), lines.size());
        }
    }

    /**
     * Stops processes: asks, waits ten seconds, kills.
     *
     * @return names of those that had to be killed
     */
    static List<String> stop(List<LocalCluster.Member> members) {
        return stop(members, Limits.DEFAULT);
    }

    static List<String> stop(List<LocalCluster.Member> members, Limits limits) {
        List<LocalCluster.Member> left = new ArrayList<>(members);
        left.removeIf(member -> !member.isAlive());
        left.forEach(member -> ProcessHandle.of(member.pid()).ifPresent(ProcessHandle::destroy));
        waitForEnd(left, limits.terminateMs());
        List<String> killed = left.stream().map(LocalCluster.Member::name).toList();
        left.forEach(member -> ProcessHandle.of(member.pid()).ifPresent(ProcessHandle::destroyForcibly));
        waitForEnd(left, limits.terminateMs());
        return killed;
    }

    private static void waitForEnd(List<LocalCluster.Member> left, long maxMs) {
        long endNs = System.nanoTime() + maxMs * 1_000_000;
        left.removeIf(member -> !member.isAlive());
        while (!left.isEmpty() && System.nanoTime() < endNs) {
            pause();
            left.removeIf(member -> !member.isAlive());
        }
    }

    /** Lets a little time pass before something outside is looked at again. */
    static void pause() {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
