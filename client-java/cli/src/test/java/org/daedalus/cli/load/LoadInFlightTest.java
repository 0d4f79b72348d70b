package org.daedalus.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A load sends so much before it waits for the oldest answer, shown by a cluster that gives none. */
class LoadInFlightTest {
    @RegisterExtension
    private final Said said = new Said();

    /** Submission numbers of the batches that came; each may come several times. */
    private final Set<Long> batches = ConcurrentHashMap.newKeySet();

    @TempDir
    private Path directory;

    /** Answers the probe, without which nothing is sent, and no batch. */
    private void probeOnly(FakeAggregator fake, Operation operation) {
        try {
            SubmitBody body = SubmitBody.parseFrom(operation.getBody());
            if (body.getUpdate().getParts(0).hasInsert()) {
                batches.add(body.getSubmission().getNumber());
            } else {
                fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(1)));
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Loads rows until the first batch has had its second without an answer; then nothing more is sent. */
    private void load(int rows, int batchRows) throws Exception {
        String line = "x".repeat(20) + ",1\n";
        Path file = Files.writeString(directory.resolve("rows.csv"), "rloc,product_id\n" + line.repeat(rows));
        try (FakeAggregator fake = new FakeAggregator(this::probeOnly)) {
            assertThat(Main.runCommand("load", file.toString(), "--cluster", fake.endpoint(), "--timeout", "1",
                    "--batch-rows", Integer.toString(batchRows), "--progress-dir",
                    directory.resolve("loads").toString())).isEqualTo(1);
        }
        assertThat(said.text()).contains("the batch from line 2 on");
    }

    @Test
    void shouldWaitWith32BatchesUnderWay() throws Exception {
        load(100, 1);
        assertThat(batches).hasSize(32);
    }

    @Test
    void shouldWaitWithEightMebibytesUnderWay() throws Exception {
        // 31 bytes a row: size, NULL bits, length, twenty characters, a number.
        load(400_000, 60_000);
        assertThat(batches).hasSize((8 << 20) / (60_000 * 31));
    }
}
