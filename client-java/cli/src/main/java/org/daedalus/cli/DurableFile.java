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

/**
 * Files that are whole or not there, and outlive a power cut once they are. Only their owner may read what is made
 * here, whatever the umask: there are rows and passwords in data directories.
 */
public final class DurableFile {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private DurableFile() {}

    /** Puts a file in the place of the one before. */
    public static void replace(Path file, String content) throws IOException {
        replace(file, content.getBytes(StandardCharsets.UTF_8));
    }

    static void replace(Path file, byte[] content) throws IOException {
        Path fresh = fresh(file);
        Files.deleteIfExists(fresh);  // One that was left behind might be everybody's.
        try (FileChannel channel = FileChannel.open(fresh,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        force(file.toAbsolutePath().getParent());
    }

    /** Makes a folder, and those above it, where they are missing. */
    static Path makeFolders(Path folder) throws IOException {
        return Files.createDirectories(folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Opens a file to be written, and makes it where it is missing. */
    static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OWNER_ONLY);
    }

    private static Path fresh(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    /** Forces a file, or the names in a folder, to disk. */
    static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
