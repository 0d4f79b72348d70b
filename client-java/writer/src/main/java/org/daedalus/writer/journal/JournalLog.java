package org.daedalus.writer.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends records on one thread, and makes them durable on another: one force for all that came during the last one.
 *
 * <p>Decides when a file begins and ends. Records stay in memory until they are forced. A force that fails is not
 * repeated: a new file begins with what was not durable, and says so by its first position. Where the disk is full it
 * tries again until there is room.
 */
public final class JournalLog implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(JournalLog.class);

    /** After so many files in a row that cannot be made durable the journal fails. */
    static final int FAILURES_MAX = 3;
    /** Closing waits for the disk so long. */
    public static final long CLOSE_MAX_MS = 5_000;

    /** Writes the content of a record. */
    public interface Payload {
        /** Writes exactly as many bytes as were announced. */
        void writeTo(ByteBuffer bytes);
    }

    /** Writes what a new file says of the time at which it begins. Called on the journal's thread. */
    public interface HeaderSource {
        /** Returns the header of a new file. */
        JournalHeader header(long file, long firstPosition, long firstTimestamp);
    }

    /** Hears what becomes of records. Called on the journal's thread. */
    public interface Listener {
        /** All records before {@code position} are durable, and the updates up to {@code timestamp}. */
        void onForced(long position, long timestamp);

        /**
         * Hears that nothing can be written: the disk is full ({@link DiskFullException}) or fails; null: it can again.
         */
        void onProblem(IOException problem);

        /** Hears that nothing can be written any more. */
        void onLost(String reason);
    }

    /**
     * Says how the journal is written.
     *
     * @param fileBytes a file with so many is not continued
     * @param pauseMs before the next try where the disk is full or a file failed
     * @param idleMs records that nobody waits for are forced after so long
     */
    public record Options(long fileBytes, long pauseMs, long idleMs) {
        /** Has the values of docs/journal.md. */
        public static final Options DEFAULT = new Options(64L << 20, 500, 100);
    }

    /** A file that is not written to any more. */
    public record FullFile(long file, long firstPosition, long endPosition, long lastTimestamp, long size) {}

    private final JournalFolder folder;
    private final Options options;
    private final HeaderSource headers;
    private final Listener listener;
    private final Thread thread;
    private final Deque<FullFile> fullFiles = new ArrayDeque<>();

    // Shared, guarded by this.
    private JournalChunk filling = new JournalChunk();
    private JournalChunk spare = new JournalChunk();
    private boolean isWaitedFor;
    private boolean isClosing;
    private long lastTimestamp;
    private long currentSize;
    private long deleteFile = -1;
    private long deleteAfter;
    private volatile long forcedPosition;

    // The journal's thread alone uses these.
    private JournalWriterFile current;
    private long nextFile;
    private long forcedTimestamp;

    /** Continues behind {@code files}, the last of which is never written to again. Call {@link #start} to begin. */
    public JournalLog(JournalFolder folder, Options options, List<JournalReader.FoundFile> files, long lastTimestamp,
            HeaderSource headers, Listener listener) {
        this.folder = folder;
        this.options = options;
        this.headers = headers;
        this.listener = listener;
        this.lastTimestamp = lastTimestamp;
        this.forcedTimestamp = lastTimestamp;
        for (int index = 0; index < files.size(); index++) {
            JournalReader.FoundFile each = files.get(index);
            long last = index + 1 < files.size() ? files.get(index + 1).header().firstTimestamp() - 1 : lastTimestamp;
            fullFiles.add(new FullFile(each.header().file(), each.header().firstPosition(), each.end(), last,
                    each.size()));
            nextFile = each.header().file() + 1;
            forcedPosition = each.end();
        }
        filling.begin(forcedPosition);
        this.thread = new Thread(this::run, "journal");
        thread.setDaemon(true);
    }

    /** Starts the journal's thread. */
    public void start() {
        thread.start();
    }

    // ---- for whoever appends ----

    /**
     * Appends one record.
     *
     * @param timestamp of the update that it is; 0: it is none
     * @param payloadSize bytes that {@code payload} will write
     * @param waitedFor it is to be durable as soon as can be
     * @return its position
     */
    public synchronized long append(int kind, long timestamp, int payloadSize, boolean waitedFor, Payload payload) {
        boolean isFirst = filling.isEmpty();
        long position = filling.append(kind, payloadSize, timestamp, forcedPosition, payload);
        lastTimestamp = timestamp == 0 ? lastTimestamp : timestamp;
        boolean isNews = waitedFor && !isWaitedFor;
        isWaitedFor |= waitedFor;
        if (isFirst || isNews) {
            notifyAll();
        }
        return position;
    }

    /** Returns the bytes that a record with so many bytes of payload takes. */
    public static long sizeOf(int payloadSize) {
        return JournalFrame.size(payloadSize);
    }

    /** Returns the position of the next record. */
    public synchronized long endPosition() {
        return filling.endPosition();
    }

    /** Returns the bytes of all files, and of what is on its way to them. */
    public synchronized long bytes() {
        long sum = currentSize + filling.size();
        for (FullFile each : fullFiles) {
            sum += each.size();
        }
        return sum;
    }

    /** Returns the oldest file, if it is not the one that is written to; else null. */
    public synchronized FullFile oldest() {
        return deleteFile >= 0 ? null : fullFiles.peek();
    }

    /** Removes the oldest file once all before {@code position} is durable. */
    public synchronized void deleteOldest(FullFile oldest, long position) {
        deleteFile = oldest.file();
        deleteAfter = position;
        isWaitedFor = true;
        notifyAll();
    }

    /** Makes durable what was appended, as far as the disk allows it in five seconds, and ends. */
    @Override
    public void close() {
        synchronized (this) {
            isClosing = true;
            notifyAll();
        }
        try {
            thread.join(CLOSE_MAX_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the journal's thread ----

    private void run() {
        try {
            JournalChunk chunk = take();
            while (chunk != null && writeDurably(chunk)) {
                publish(chunk);
                deleteWhatMay();
                chunk = take();
            }
        } catch (InterruptedException e) {
            lose("the journal's thread was interrupted");
        } finally {
            if (current != null) {
                current.close();
            }
        }
    }

    /** Returns what is to be written next; null: no more. An empty chunk makes sure that files are removed. */
    private synchronized JournalChunk take() throws InterruptedException {
        while (!isWaitedFor && !isClosing) {
            if (filling.isEmpty()) {
                wait();
            } else {
                waitForMore();
            }
        }
        if (filling.isEmpty() && isClosing) {
            return null;
        }
        JournalChunk taken = filling;
        filling = spare;
        spare = null;
        filling.begin(taken.endPosition());
        isWaitedFor = false;
        return taken;
    }

    private synchronized void waitForMore() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.idleMs());
        for (long left = options.idleMs(); left > 0 && !isWaitedFor && !isClosing;
                left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) {
            wait(left);
        }
        isWaitedFor = true;
    }

    /** Writes a chunk durably; returns false when it cannot be. */
    private boolean writeDurably(JournalChunk chunk) throws InterruptedException {
        if (chunk.isEmpty()) {
            return true;
        }
        int failures = 0;
        boolean hasProblem = false;
        while (true) {
            try {
                write(chunk);
                if (hasProblem) {
                    listener.onProblem(null);
                }
                return true;
            } catch (DiskFullException e) {
                hasProblem = true;
                listener.onProblem(e);
            } catch (IOException e) {
                LOG.error("a file of the journal cannot be written, a new one begins: {}", e.toString());
                failures++;
                hasProblem = true;
                listener.onProblem(e);
                if (failures >= FAILURES_MAX) {
                    lose(e.getMessage());
                    return false;
                }
            }
            if (pauseOrClose()) {
                lose("the writer was closed before the journal could be written");
                return false;
            }
        }
    }

    private synchronized boolean pauseOrClose() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.pauseMs());
        for (long left = options.pauseMs(); left > 0 && !isClosing;
                left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) {
            wait(left);
        }
        return isClosing;
    }

    private void write(JournalChunk chunk) throws IOException {
        if (current != null && current.written() >= options.fileBytes()) {
            retire(forcedPosition);
        }
        if (current == null) {
            begin(chunk);
        }
        boolean isSound = false;
        try {
            try {
                current.write(chunk);
            } catch (DiskFullException e) {
                isSound = true;
                throw e;
            }
            current.force();
            isSound = true;
        } finally {
            noteSize();
            if (!isSound) {
                retire(chunk.firstPosition());
            }
        }
    }

    private void begin(JournalChunk chunk) throws IOException {
        JournalHeader header = headers.header(nextFile, chunk.firstPosition(), forcedTimestamp + 1);
        current = JournalWriterFile.create(folder, header, options.fileBytes());
        nextFile++;
        noteSize();
    }

    private synchronized void noteSize() {
        currentSize = current == null ? 0 : current.size();
    }

    /** Writes nothing more to the current file; what it has from {@code end} on does not count. */
    private synchronized void retire(long end) {
        fullFiles.add(new FullFile(current.header().file(), current.header().firstPosition(), end, forcedTimestamp,
                current.size()));
        currentSize = 0;
        current.close();
        current = null;
    }

    private void publish(JournalChunk chunk) {
        long position;
        synchronized (this) {
            position = chunk.endPosition();
            forcedPosition = position;
            forcedTimestamp = chunk.lastTimestamp() == 0 ? forcedTimestamp : chunk.lastTimestamp();
            spare = chunk;
        }
        listener.onForced(position, forcedTimestamp);
    }

    private void deleteWhatMay() {
        FullFile oldest;
        synchronized (this) {
            if (deleteFile < 0 || forcedPosition < deleteAfter) {
                return;
            }
            oldest = fullFiles.poll();
            deleteFile = -1;
        }
        try {
            folder.delete(JournalNames.of(oldest.file()));
            folder.force();
        } catch (IOException e) {
            LOG.warn("a file of the journal that is not needed any more stays: {}", e.toString());
        }
    }

    private void lose(String reason) {
        listener.onLost(reason);
    }
}
