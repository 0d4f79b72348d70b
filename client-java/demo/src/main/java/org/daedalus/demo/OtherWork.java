package org.daedalus.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of a machine's processor time went to work that is not ours while something was measured: other programs,
 * and other guests of the same host (steal). From /proc/stat and /proc/PID/stat, whose unit is the same; and how much
 * there was to do at the end, from /proc/loadavg.
 */
final class OtherWork {
    /** Below this share it is what a machine does anyway, and the ticks of its clock. */
    static final double SHARE_NOTED_MIN = 0.05;

    private static final int IDLE = 3;
    private static final int WAITING = 4;
    private static final int STEAL = 7;
    private static final int TICK_FIELDS = 8;
    /** User and system time stand here after the name, which is in brackets and may hold anything. */
    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;

    /** Ticks since the machine started; {@code ours} by process. */
    private record Sample(long all, long busy, long stolen, int cores, Map<Long, Long> ours) {}

    private final Path proc;
    private final List<Long> processes;
    private final Sample first;

    /**
     * Begins to measure.
     *
     * @param processes those whose work is ours
     */
    OtherWork(Path proc, List<Long> processes) throws IOException {
        this.proc = proc;
        this.processes = List.copyOf(processes);
        this.first = sample();
    }

    /** Returns the processes that {@code daedalus up} has noted in a cluster's {@code cluster.pids}. */
    static List<Long> processesOf(Path pids) throws IOException {
        List<Long> processes = new ArrayList<>();
        for (String line : Files.readAllLines(pids)) {
            processes.add(Long.parseLong(line.split("\t")[2]));
        }
        return processes;
    }

    /**
     * Says in a line for the report how much processor time has gone to others since the beginning; empty where that is
     * next to nothing.
     */
    String noted() throws IOException {
        Sample last = sample();
        double all = Math.max(1, last.all - first.all);
        long ours = 0;
        for (Map.Entry<Long, Long> process : last.ours.entrySet()) {
            ours += process.getValue() - first.ours.getOrDefault(process.getKey(), process.getValue());
        }
        double stolen = (last.stolen - first.stolen) / all;
        double others = Math.max(0, last.busy - first.busy - ours) / all;
        if (stolen + others < SHARE_NOTED_MIN) {
            return "";
        }
        return String.format(
                "%.0f %% of the time of %d cores went to other programs, %.0f %% to other guests of the host%s",
                others * 100, last.cores, stolen * 100, loadAverage());
    }

    /** Says how many threads wanted a core in the last minute; empty where the system does not say it. */
    private String loadAverage() {
        try {
            String[] fields = Files.readString(proc.resolve("loadavg")).split(" ");
            return "; load average " + fields[0] + ", ours included";
        } catch (IOException e) {
            return "";
        }
    }

    private Sample sample() throws IOException {
        List<String> lines = Files.readAllLines(proc.resolve("stat"));
        String[] fields = lines.get(0).trim().split("\\s+");
        long all = 0;
        for (int field = 0; field < TICK_FIELDS; field++) {
            all += Long.parseLong(fields[field + 1]);
        }
        long stolen = Long.parseLong(fields[STEAL + 1]);
        long busy = all - stolen - Long.parseLong(fields[IDLE + 1]) - Long.parseLong(fields[WAITING + 1]);
        int cores = (int) lines.stream().filter(line -> line.matches("cpu\\d+ .*")).count();
        Map<Long, Long> ours = new HashMap<>();
        for (long process : processes) {
            ticksOf(process, ours);
        }
        return new Sample(all, busy, stolen, cores, ours);
    }

    private void ticksOf(long process, Map<Long, Long> ticks) {
        try {
            String stat = Files.readString(proc.resolve(Long.toString(process)).resolve("stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            ticks.put(process, Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]));
        } catch (IOException e) {
            // It has ended: what it did until then counts as others', which only ever says too much.
            ticks.remove(process);
        }
    }
}
