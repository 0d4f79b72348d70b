package org.daedalus.writer.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file system as the journal sees it. */
class DiskFolderTest {
    @TempDir
    private Path temporary;

    @Test
    void shouldKeepASecondWriterOut() throws Exception {
        Path path = temporary.resolve("deep/journal");
        try (DiskFolder first = DiskFolder.open(path)) {
            assertThat(first.names()).containsExactly(DiskFolder.LOCK_NAME);
            assertThatThrownBy(() -> DiskFolder.open(path)).isInstanceOf(JournalException.class)
                    .hasMessageContaining(path.toString()).hasMessageContaining("another process");
        }
        DiskFolder.open(path).close();
    }

    @Test
    void shouldKeepAnotherProcessOut() throws Exception {
        Path path = temporary.resolve("journal");
        Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), Holder.class.getName(), path.toString()).start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('+');
            assertThatThrownBy(() -> DiskFolder.open(path)).isInstanceOf(JournalException.class);
        } finally {
            other.destroyForcibly().waitFor();
        }
        DiskFolder.open(path).close();
    }

    /** Holds the folder until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            try (DiskFolder held = DiskFolder.open(Path.of(arguments[0]))) {
                System.out.write(held.names().isEmpty() ? '-' : '+');
                System.out.flush();
                System.in.read();
            }
        }
    }

    @Test
    void shouldWriteReadRenameAndDelete() throws Exception {
        try (DiskFolder folder = DiskFolder.open(temporary)) {
            try (JournalFile file = folder.create("a")) {
                file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 5);
                file.force();
                assertThat(file.size()).isEqualTo(8);
            }
            folder.rename("a", "b");
            folder.force();
            try (JournalFile file = folder.open("b")) {
                ByteBuffer target = ByteBuffer.allocate(10);
                assertThat(file.read(target, 6)).isEqualTo(2);
                assertThat(target.get(0)).isEqualTo((byte) 2);
            }
            folder.delete("b");
            assertThat(folder.names()).containsExactly(DiskFolder.LOCK_NAME);
        }
    }

    @Test
    void shouldTellAFullDiskFromABrokenOne() throws Exception {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.isWritable(full));
        JournalFile file = DiskFolder.file(FileChannel.open(full, StandardOpenOption.WRITE), "full");
        assertThatThrownBy(() -> file.write(ByteBuffer.allocate(10), 0)).isInstanceOf(DiskFullException.class);
        file.close();
        assertThatThrownBy(() -> file.write(ByteBuffer.allocate(10), 0)).isNotInstanceOf(DiskFullException.class);
    }
}
