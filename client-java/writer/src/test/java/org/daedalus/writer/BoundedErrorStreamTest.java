package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BoundedErrorStreamTest {
    @TempDir
    private Path folder;

    @Test
    void shouldKeepWhatCameLastAndOneFileBefore() throws IOException {
        Path file = folder.resolve("writer.log");
        write(file, "first\n", "2nd\n", "third\n", "4th\n", "fifth\n");
        assertThat(file).hasContent("fifth\n");
        assertThat(folder.resolve("writer.log.1")).hasContent("third\n4th\n");
    }

    @Test
    void shouldStayWithinBoundsWhereNothingCanBeKept() throws IOException {
        Path file = folder.resolve("writer.log");
        Files.createDirectories(folder.resolve("writer.log.1/in the way"));
        write(file, "12345678\n", "next\n");
        assertThat(file).hasContent("next\n");
    }

    @Test
    void shouldOnlyTakeFilesThatAreAppendedTo() {
        assertThat(BoundedErrorStream.isAppendedTo("pos:\t0\nflags:\t0102001\nmnt_id:\t28\n")).isTrue();
        assertThat(BoundedErrorStream.isAppendedTo("pos:\t0\nflags:\t0100001\nmnt_id:\t28\n")).isFalse();
    }

    private static void write(Path file, String... lines) throws IOException {
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            BoundedErrorStream bounded = new BoundedErrorStream(out, file, 10);
            for (String line : lines) {
                byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
                bounded.write(bytes, 0, bytes.length);
            }
        }
    }
}
