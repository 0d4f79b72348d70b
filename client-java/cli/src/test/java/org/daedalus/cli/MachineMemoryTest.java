package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine of 16 GiB, of which 12 are available, in control groups; base/machine has the same tests. */
class MachineMemoryTest {
    private static final long GIB = 1L << 30;

    @TempDir
    private Path folder;

    @BeforeEach
    void writeMachine() throws IOException {
        write("proc/meminfo",
                "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:   12582912 kB\n");
    }

    private void write(String path, String content) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private MachineMemory memory() {
        return MachineMemory.read(folder.resolve("proc"), folder.resolve("groups")).orElseThrow();
    }

    @Test
    void shouldBeTheMachinesWhereNoGroupBoundsIt() throws IOException {
        assertThat(memory()).isEqualTo(new MachineMemory(16 * GIB, 12 * GIB));
        write("proc/self/cgroup", "0::/user.slice\n");
        write("groups/user.slice/memory.max", "max\n");
        assertThat(memory()).isEqualTo(new MachineMemory(16 * GIB, 12 * GIB));
    }

    @Test
    void shouldBeThatOfTheTightestGroupOnTheWayUp() throws IOException {
        write("proc/self/cgroup", "0::/a/b\n");
        write("groups/a/memory.max", "8589934592\n");
        write("groups/a/memory.current", "7516192768\n");
        write("groups/a/memory.stat", "anon 1\ninactive_file 1073741824\nfile 9\n");
        write("groups/a/b/memory.max", "9663676416\n");
        write("groups/a/b/memory.current", "1073741824\n");
        assertThat(memory()).isEqualTo(new MachineMemory(8 * GIB, 2 * GIB));
    }

    @Test
    void shouldTakeTheRootForTheGroupOfAContainer() throws IOException {
        write("proc/self/cgroup", "0::/system.slice/some/container\n");
        write("groups/memory.max", "2147483648\n");
        write("groups/memory.current", "3221225472\n"); // For a moment there may be more than the bound.
        assertThat(memory()).isEqualTo(new MachineMemory(2 * GIB, 0));
    }

    @Test
    void shouldKnowTheFirstVersionOfGroups() throws IOException {
        write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n");
        write("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("groups/memory/job/memory.limit_in_bytes", "4294967296\n");
        write("groups/memory/job/memory.usage_in_bytes", "1073741824\n");
        assertThat(memory()).isEqualTo(new MachineMemory(4 * GIB, 3 * GIB));
    }

    @Test
    void shouldNotBeKnownWhereTheSystemDoesNotSay() {
        assertThat(MachineMemory.read(folder.resolve("nowhere"), folder)).isEmpty();
    }
}
