package org.daedalus.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that are whole or not there, and outlive a power cut once they are. */
public final class DurableFile {
    private DurableFile() {}

    /** Puts a file in the place of the one before. */
    static void replace(Path file, String content) throws IOException {
        replace(file, content.getBytes(StandardCharsets.UTF_8));
    }

    static void replace(Path file, byte[] content) throws IOException {
        replace(file, content, Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE));
    }

    /** The same, and only its owner may read it. */
    public static void replacePrivate(Path file, String content) throws IOException {
        Files.deleteIfExists(fresh(file));  // One that was left behind might be everybody's.
        replace(file, content.getBytes(StandardCharsets.UTF_8),
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private static Path fresh(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    private static void replace(Path file, byte[] content, Set<StandardOpenOption> options,
            FileAttribute<?>... attributes) throws IOException {
        Path fresh = fresh(file);
        try (FileChannel channel = FileChannel.open(fresh, options, attributes)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        force(file.toAbsolutePath().getParent());
    }

    /** Forces a file, or the names in a folder, to disk. */
    static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
