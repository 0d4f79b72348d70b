package org.daedalus.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How much memory this machine has, or the control group that this process runs in: as storage nodes find it when they
 * start (base/machine), asked here for all of them together.
 *
 * @param totalBytes whoever uses it
 * @param availableBytes what nobody uses, or what is given back when it is asked for
 */
record MachineMemory(long totalBytes, long availableBytes) {
    /** The files of one version of control groups: bound, use, and what of the use is only cached (memory.stat). */
    private record GroupFiles(String limit, String used, String cached) {}

    private static final GroupFiles FIRST_VERSION =
            new GroupFiles("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
    private static final GroupFiles SECOND_VERSION = new GroupFiles("memory.max", "memory.current", "inactive_file");
    private static final int KIB_SHIFT = 10;

    /** Reads the memory; returns nothing where the system does not say it. */
    static Optional<MachineMemory> read() {
        return read(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
    }

    /** Reads the memory from other folders, for tests. */
    static Optional<MachineMemory> read(Path proc, Path controlGroups) {
        Optional<Long> total = named(proc.resolve("meminfo"), "MemTotal:");
        Optional<Long> available = named(proc.resolve("meminfo"), "MemAvailable:");
        if (total.isEmpty() || available.isEmpty()) {
            return Optional.empty();
        }
        MachineMemory memory = new MachineMemory(total.get() << KIB_SHIFT, available.get() << KIB_SHIFT);
        for (String line : lines(proc.resolve("self").resolve("cgroup"))) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            if (parts[0].equals("0")) {
                memory = memory.within(controlGroups, parts[2], SECOND_VERSION);
            } else if (List.of(parts[1].split(",")).contains("memory")) {
                memory = memory.within(controlGroups.resolve("memory"), parts[2], FIRST_VERSION);
            }
        }
        return Optional.of(memory);
    }

    /** Bounded by a group and all above it; in a container only the root of the path may be there. */
    private MachineMemory within(Path root, String path, GroupFiles files) {
        MachineMemory memory = this;
        String left = path;
        while (true) {
            memory = memory.boundBy(Path.of(root + left), files);
            int slash = left.lastIndexOf('/');
            if (slash < 0) {
                return memory;
            }
            left = left.substring(0, slash);
        }
    }

    private MachineMemory boundBy(Path group, GroupFiles files) {
        Optional<Long> limit = number(group.resolve(files.limit()));
        if (limit.isEmpty()) {
            return this;
        }
        long used = number(group.resolve(files.used())).orElse(0L);
        long cached = named(group.resolve("memory.stat"), files.cached()).orElse(0L);
        long left = Math.max(0, limit.get() - Math.max(0, used - cached));
        return new MachineMemory(Math.min(totalBytes, limit.get()), Math.min(availableBytes, left));
    }

    /** Returns a file's only word; nothing when it is no number: "max" says that there is no bound. */
    private static Optional<Long> number(Path file) {
        return lines(file).stream().findFirst().flatMap(line -> parsed(line.strip()));
    }

    /** Returns the number behind a name, in a file of lines of both. */
    private static Optional<Long> named(Path file, String name) {
        return lines(file).stream().map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > 1 && words[0].equals(name)).findFirst()
                .flatMap(words -> parsed(words[1]));
    }

    private static Optional<Long> parsed(String text) {
        try {
            return Optional.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return List.of();
        }
    }
}
