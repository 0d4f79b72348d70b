package org.daedalus.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OtherWorkTest {
    @TempDir
    private Path proc;

    /** A machine of two cores: all that was done on it since it started, and what process 7 did of that. */
    private void machine(long user, long system, long idle, long waiting, long steal, long ours) throws IOException {
        Files.writeString(proc.resolve("stat"), "cpu  " + user + " 0 " + system + " " + idle + " " + waiting + " 0 0 "
                + steal + " 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 1\n");
        Files.createDirectories(proc.resolve("7"));
        Files.writeString(proc.resolve("7/stat"), "7 (a (b) c) S 1 1 1 0 -1 0 0 0 0 0 " + (ours - 1) + " 1 0 0 20 0\n");
    }

    @BeforeEach
    void begin() throws IOException {
        machine(1_000, 100, 5_000, 50, 10, 500);
    }

    @Test
    void shouldSayNothingOfOurOwnWork() throws IOException {
        OtherWork work = new OtherWork(proc, List.of(7L));
        machine(1_800, 190, 5_090, 60, 10, 1_390);
        assertThat(work.noted()).isEmpty();
    }

    @Test
    void shouldSayWhatOtherProgramsAndOtherGuestsTook() throws IOException {
        OtherWork work = new OtherWork(proc, List.of(7L));
        machine(1_600, 200, 5_100, 50, 210, 1_000);
        assertThat(work.noted())
                .isEqualTo("20 % of the time of 2 cores went to other programs, 20 % to other guests of the host");
    }

    @Test
    void shouldSayHowMuchThereWasToDo() throws IOException {
        OtherWork work = new OtherWork(proc, List.of(7L));
        Files.writeString(proc.resolve("loadavg"), "6.42 3.10 1.05 7/812 4711\n");
        machine(1_600, 200, 5_100, 50, 210, 1_000);
        assertThat(work.noted()).endsWith("20 % to other guests of the host; load average 6.42, ours included");
    }

    @Test
    void shouldGoOnWithoutAProcessThatHasEnded() throws IOException {
        OtherWork work = new OtherWork(proc, List.of(7L, 8L));
        machine(1_500, 100, 5_500, 50, 10, 900);
        Files.delete(proc.resolve("7/stat"));
        assertThat(work.noted()).startsWith("50 % of the time of 2 cores went to other programs");
    }

    @Test
    void shouldFindTheProcessesOfALocalCluster() throws IOException {
        Path pids = proc.resolve("cluster.pids");
        Files.writeString(pids, "node-0\t127.0.0.1:1\t7\tx\nwriter\t127.0.0.1:2\t8\ty\n");
        assertThat(OtherWork.processesOf(pids)).containsExactly(7L, 8L);
    }
}
