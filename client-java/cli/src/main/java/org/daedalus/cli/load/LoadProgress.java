package org.daedalus.cli.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.daedalus.cli.CliException;
import org.daedalus.wire.Placement;

/**
 * Keeps one load's {@link LoadState} in a file that survives the process being killed at any moment, and lets one
 * process at a time have it.
 *
 * <p>Two slots are written in turn, each with a number and a checksum, so that one of them is always whole. Nothing is
 * synced: rows are in memory only, too.
 */
final class LoadProgress implements AutoCloseable {
    private static final int SLOT_SIZE = 32 << 10;
    private static final int PREFIX_SIZE = 16;

    private final Path path;
    private final FileChannel channel;
    private long writes;
    private LoadState state;

    private LoadProgress(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Returns the progress of a load that no other process can go on with: it knows nothing, and keeps nothing beyond
     * this process.
     */
    static LoadProgress ofThisProcess() {
        return new LoadProgress(null, null);
    }

    /**
     * Opens what is known of loading {@code file} into {@code cluster}.
     *
     * @param restart forget it
     */
    static LoadProgress open(Path directory, Path file, String cluster, boolean restart)
            throws IOException, CliException {
        String key = file + "\n" + cluster;
        long digest = Placement.digest(key.getBytes(StandardCharsets.UTF_8));
        FileChannel channel;
        Path path = directory.resolve(String.format("%016x.load", digest));
        try {
            Files.createDirectories(directory);
            channel = FileChannel.open(path,
                    StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw CliException.failed("the progress of the load cannot be kept in " + directory + " (" + e.getMessage()
                    + "): give --progress-dir a directory that can be written");
        }
        LoadProgress progress = new LoadProgress(path, channel);
        try {
            if (!progress.lock()) {
                throw CliException.failed(file + " is being loaded into this cluster by another process");
            }
            if (restart) {
                progress.forget();
            } else {
                progress.read();
            }
            return progress;
        } catch (CliException | IOException | RuntimeException e) {
            progress.close();
            throw e;
        }
    }

    /** The system lets go of the lock when the process ends, however it ends. */
    private boolean lock() throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private void read() throws IOException, CliException {
        boolean isEmpty = channel.size() == 0;
        for (int slot = 0; slot < 2; slot++) {
            ByteBuffer bytes = ByteBuffer.allocate(SLOT_SIZE);
            channel.read(bytes, (long) slot * SLOT_SIZE);
            readSlot(bytes.flip());
        }
        if (state == null && !isEmpty) {
            throw CliException.failed(path + ", which says how far the load has come, is damaged: find out which rows "
                    + "are in, then load from the start with --restart");
        }
    }

    private void readSlot(ByteBuffer bytes) {
        if (bytes.remaining() < PREFIX_SIZE) {
            return;
        }
        int checksum = bytes.getInt();
        int size = bytes.getInt();
        if (size < 0 || size > bytes.remaining() - 8 || checksum != checksum(bytes, size + 8)) {
            return;
        }
        long number = bytes.getLong();
        if (number >= writes) {
            writes = number;
            state = LoadState.decode(new String(bytes.array(), PREFIX_SIZE, size, StandardCharsets.UTF_8));
        }
    }

    private static int checksum(ByteBuffer bytes, int size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(bytes.position(), size));
        return (int) crc.getValue();
    }

    /** Returns the state that was kept last; null: nothing is known. */
    LoadState state() {
        return state;
    }

    Path path() {
        return path;
    }

    /** Keeps {@code now}, whatever was kept before. */
    void keep(LoadState now) throws IOException {
        if (channel == null) {
            state = now;
            return;
        }
        byte[] text = now.encode().getBytes(StandardCharsets.UTF_8);
        if (text.length > SLOT_SIZE - PREFIX_SIZE) {
            throw new IOException("the names of file and options are too long to be kept: " + text.length + " bytes");
        }
        state = now;
        writes++;
        ByteBuffer bytes = ByteBuffer.allocate(PREFIX_SIZE + text.length);
        bytes.position(8).putLong(writes).put(text).position(8);
        int checksum = checksum(bytes, text.length + 8);
        bytes.clear();
        bytes.putInt(checksum).putInt(text.length).clear();
        channel.write(bytes, writes % 2 * SLOT_SIZE);
    }

    /** Forgets everything. */
    void forget() throws IOException {
        channel.truncate(0);
        state = null;
        writes = 0;
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
