package org.daedalus.writer.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A journal over a folder in memory whose records are texts, each of which counts as an update. */
final class JournalFixture implements JournalLog.Listener, AutoCloseable {
    static final JournalHeader.Identity IDENTITY = new JournalHeader.Identity("cluster", "schema");
    private static final long TIMEOUT_S = 20;

    final FaultyFolder folder;
    final List<String> read = new ArrayList<>();
    final List<Long> positions = new ArrayList<>();
    final List<JournalReader.FoundFile> found;
    final List<String> problems = new ArrayList<>();
    private final JournalLog log;
    private long appended;
    private long forced;
    private String lost;

    JournalFixture(FaultyFolder folder, long fileBytes) throws IOException {
        this.folder = folder;
        found = JournalReader.read(folder, new JournalReader.Visitor() {
            @Override
            public void onFile(JournalHeader header) {
                positions.add(-1L);
            }

            @Override
            public void onRecord(long position, int kind, ByteBuffer payload) {
                read.add(StandardCharsets.UTF_8.decode(payload).toString());
                positions.add(position);
            }
        });
        appended = read.size();
        forced = appended;
        log = new JournalLog(folder, new JournalLog.Options(fileBytes, 1, 1), found, appended,
                (file, firstPosition, firstTimestamp) -> new JournalHeader(9, file, firstPosition, firstTimestamp, 1, 1,
                        0, "writer", IDENTITY, 0), this);
        log.start();
    }

    JournalLog log() {
        return log;
    }

    void append(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        log.append(1, ++appended, bytes.length, true, target -> target.put(bytes));
    }

    /** Appends each when the one before is durable. */
    void write(String... texts) throws InterruptedException {
        for (String text : texts) {
            append(text);
            awaitForced();
        }
    }

    synchronized void awaitForced() throws InterruptedException {
        await(() -> forced >= appended);
    }

    synchronized String awaitLost() throws InterruptedException {
        await(() -> lost != null);
        return lost;
    }

    synchronized void awaitProblems(int count) throws InterruptedException {
        await(() -> problems.size() >= count);
    }

    private void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("waited in vain; problems: " + problems);
            }
            wait(100);
        }
    }

    @Override
    public synchronized void onForced(long position, long timestamp) {
        forced = timestamp;
        notifyAll();
    }

    @Override
    public synchronized void onProblem(IOException problem) {
        problems.add(problem == null ? null : problem.getMessage());
        notifyAll();
    }

    @Override
    public synchronized void onLost(String reason) {
        lost = reason;
        notifyAll();
    }

    @Override
    public void close() {
        log.close();
    }

    /** All texts that a journal in {@code folder} has. */
    static List<String> read(FaultyFolder folder) throws IOException {
        try (JournalFixture again = new JournalFixture(folder, 1 << 20)) {
            return again.read;
        }
    }
}
