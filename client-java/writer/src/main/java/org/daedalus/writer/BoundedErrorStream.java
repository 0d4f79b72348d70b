package org.daedalus.writer;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Standard error, kept within bounds where it is a file that was opened to append, as `up` does: before the file would
 * grow beyond them its content is copied to NAME.1, in place of an older one, and it is emptied. (Renaming would need a
 * system call that Java does not have: this process, and the virtual machine's own messages, stay with the open file.)
 */
final class BoundedErrorStream extends OutputStream {
    private static final long BYTES_MAX = 16 << 20;
    private static final int APPEND_FLAG = 02000;

    private final OutputStream out;
    private final Path file;
    private final long bytesMax;

    /**
     * Bounds what is written to a file.
     *
     * @param out appends to {@code file}
     */
    BoundedErrorStream(OutputStream out, Path file, long bytesMax) {
        this.out = out;
        this.file = file;
        this.bytesMax = bytesMax;
    }

    /** Bounds this process's standard error, if that is a file of this kind. */
    static void install() {
        Path process = Path.of("/proc/self");
        try {
            Path file = Files.readSymbolicLink(process.resolve("fd/2"));
            if (Files.isRegularFile(file) && isAppendedTo(Files.readString(process.resolve("fdinfo/2")))) {
                OutputStream bounded =
                        new BoundedErrorStream(new FileOutputStream(FileDescriptor.err), file, BYTES_MAX);
                System.setErr(new PrintStream(bounded, true, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // Not a file, or not a system that says what it is: then it has bounds of its own, or none.
            return;
        }
    }

    /** Says whether the kernel's words about an open file mean that it is appended to. */
    static boolean isAppendedTo(String about) {
        return about.lines().filter(line -> line.startsWith("flags:"))
                .anyMatch(line -> (Long.parseLong(line.substring(6).strip(), 8) & APPEND_FLAG) != 0);
    }

    @Override
    public synchronized void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        makeRoom(length);
        out.write(bytes, offset, length);
    }

    @Override
    public synchronized void flush() throws IOException {
        out.flush();
    }

    private void makeRoom(int bytes) {
        try {
            long size = Files.size(file);
            if (size > 0 && size + bytes > bytesMax) {
                rotate();
            }
        } catch (IOException e) {
            // The file or its folder has been taken away: a process outlives its log.
            return;
        }
    }

    private void rotate() throws IOException {
        try {
            Files.copy(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.COPY_ATTRIBUTES);
        } finally {
            Files.newOutputStream(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING).close();
        }
    }
}
