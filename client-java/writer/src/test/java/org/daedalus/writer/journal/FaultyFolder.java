package org.daedalus.writer.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** A folder in memory that can be full, fail, and lose what was not forced. */
public final class FaultyFolder implements JournalFolder {
    private final TreeMap<String, Content> files = new TreeMap<>();
    private long room = Long.MAX_VALUE;
    private int failingForces;
    private int failingWrites;
    private int forces;
    private int forcesOfFailed;

    /** The content of a file, and what would be left of it after a loss of power. */
    private static final class Content {
        private byte[] written = new byte[0];
        private byte[] durable = new byte[0];
        private boolean hasFailed;
    }

    /** The number of bytes that can still be added to files. */
    public synchronized void leaveRoom(long bytes) {
        room = bytes;
    }

    /** The next forces of files fail. */
    public synchronized void failForces(int count) {
        failingForces = count;
    }

    /** The next writes fail half way. */
    public synchronized void failWrites(int count) {
        failingWrites = count;
    }

    /** Returns how often a file was forced with success. */
    public synchronized int forces() {
        return forces;
    }

    /** Returns how often a file was forced again after that had failed. */
    public synchronized int forcesOfFailed() {
        return forcesOfFailed;
    }

    /** Returns the folder after a loss of power: what was forced is there, of the rest nothing. */
    public synchronized FaultyFolder afterPowerLoss() {
        FaultyFolder left = new FaultyFolder();
        files.forEach((name, content) -> left.put(name, content.durable));
        return left;
    }

    /** Returns the folder after a kill: all is there that was written. */
    public synchronized FaultyFolder copy() {
        FaultyFolder copy = new FaultyFolder();
        files.forEach((name, content) -> copy.put(name, content.written));
        return copy;
    }

    /** Gives a file this content. */
    public synchronized void put(String name, byte[] bytes) {
        Content content = new Content();
        content.written = bytes.clone();
        content.durable = bytes.clone();
        files.put(name, content);
    }

    /** Returns the content of a file. */
    public synchronized byte[] bytes(String name) {
        return files.get(name).written.clone();
    }

    @Override
    public synchronized List<String> names() {
        return new ArrayList<>(files.keySet());
    }

    @Override
    public synchronized JournalFile create(String name) throws IOException {
        if (files.containsKey(name)) {
            throw new IOException(name + " exists");
        }
        files.put(name, new Content());
        return new Open(files.get(name));
    }

    @Override
    public synchronized JournalFile open(String name) {
        return new Open(files.get(name));
    }

    @Override
    public synchronized void rename(String from, String to) {
        files.put(to, files.remove(from));
    }

    @Override
    public synchronized void delete(String name) {
        files.remove(name);
    }

    @Override
    public void force() {
        // Names are durable at once.
    }

    @Override
    public String describe(String name) {
        return "folder/" + name;
    }

    private final class Open implements JournalFile {
        private final Content content;

        private Open(Content content) {
            this.content = content;
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            synchronized (FaultyFolder.this) {
                long more = Math.max(0, offset + source.remaining() - content.written.length);
                if (more > room) {
                    throw new DiskFullException("no room");
                }
                if (failingWrites > 0) {
                    failingWrites--;
                    put(source.slice(0, source.remaining() / 2), offset);
                    throw new IOException("a write failed");
                }
                room -= more;
                put(source, offset);
            }
        }

        private void put(ByteBuffer source, long offset) {
            int end = (int) offset + source.remaining();
            content.written = Arrays.copyOf(content.written, Math.max(content.written.length, end));
            source.get(content.written, (int) offset, source.remaining());
        }

        @Override
        public int read(ByteBuffer target, long offset) {
            synchronized (FaultyFolder.this) {
                int count = (int) Math.max(0, Math.min(target.remaining(), content.written.length - offset));
                target.put(content.written, (int) offset, count);
                return count;
            }
        }

        @Override
        public long size() {
            return content.written.length;
        }

        @Override
        public void force() throws IOException {
            synchronized (FaultyFolder.this) {
                forcesOfFailed += content.hasFailed ? 1 : 0;
                if (failingForces > 0) {
                    failingForces--;
                    content.hasFailed = true;
                    throw new IOException("a force failed");
                }
                forces++;
                content.durable = content.written.clone();
            }
        }

        @Override
        public void close() {
            // Nothing is kept.
        }
    }
}
