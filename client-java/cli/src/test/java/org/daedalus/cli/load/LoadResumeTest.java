package org.daedalus.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.NodeStatus;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A load goes on after one that was cut off, against a writer whose memory the test decides about. */
class LoadResumeTest {
    private static final String HEADER = "rloc,product_id\n";

    @RegisterExtension
    private final Said said = new Said();

    // The writer, as the aggregator that stands before it shows it.
    private static final long EPOCH = 4;
    private final Map<SubmissionId, Long> remembered = new HashMap<>();
    private final List<SubmissionId> inserts = new ArrayList<>();
    private long epoch = EPOCH;
    private final AtomicInteger unanswered = new AtomicInteger();
    private long timestamp;
    private long rows;

    @TempDir
    private Path directory;

    /** Applies what it does not remember; an insert whose turn it is takes effect without an answer that says so. */
    private void answer(FakeAggregator fake, Operation operation) {
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATUS) {
            fake.answer(operation, Result.newBuilder().setStatus(
                    StatusReply.newBuilder().addNodes(NodeStatus.newBuilder().setApplied(timestamp))));
            return;
        }
        SubmitBody body;
        try {
            body = SubmitBody.parseFrom(operation.getBody());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
        boolean isInsert = body.getUpdate().getParts(0).hasInsert();
        int rowCount = body.getUpdate().getParts(0).getInsert().getRowCount();
        SubmissionId id = body.getSubmission();
        SubmissionId name = id.toBuilder().clearEpoch().clearNumberedAfter().clearRepeated().build();
        if (!remembered.containsKey(name) && id.getEpoch() != epoch) {
            refuse(fake, operation, id);
            return;
        }
        long number = remembered.computeIfAbsent(name, key -> {
            rows += rowCount;
            return ++timestamp;
        });
        if (isInsert) {
            inserts.add(id);
        }
        if (isInsert && unanswered.getAndDecrement() == 1) {
            fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_UNKNOWN, "08007", "the writer is lost");
            return;
        }
        fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder().setTimestamp(number)
                .addOutcomes(PartitionOutcome.newBuilder().setRowsMatched(rowCount).setRowsApplied(rowCount))));
    }

    private void refuse(FakeAggregator fake, Operation operation, SubmissionId id) {
        if (id.getRepeated()) {
            fake.answerError(operation, ErrorCategory.ERROR_CATEGORY_UNKNOWN, "08007", "sent before");
        } else {
            fake.answer(operation, Result.newBuilder().setRefused(WriteRefused.newBuilder()
                    .setReason(WriteRefusal.WRITE_REFUSAL_STALE_SUBMISSION).setEpoch(epoch).setTimestamp(timestamp)));
        }
    }

    private int load(String... options) throws Exception {
        Path file = directory.resolve("data.csv");
        try (FakeAggregator fake = new FakeAggregator(this::answer)) {
            List<String> arguments = new ArrayList<>(List.of("load", file.toString(), "--cluster", fake.endpoint(),
                    "--batch-rows", "2", "--progress-dir", directory.resolve("loads").toString()));
            arguments.addAll(List.of(options));
            said.forget();
            return Main.runCommand(arguments.toArray(String[]::new));
        }
    }

    private void write(String text) throws Exception {
        Files.writeString(directory.resolve("data.csv"), text);
    }

    private void loadAllButTheAnswerToTheSecondBatch() throws Exception {
        write(HEADER + "a,1\nb,2\nc,3\nd,4\ne,5\n");
        unanswered.set(2);
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("the batch from line 4 on").contains("2 more may be");
    }

    @Test
    void shouldSubmitWhatWasNotConfirmedUnderTheSameIds() throws Exception {
        loadAllButTheAnswerToTheSecondBatch();
        SubmissionId unconfirmed = inserts.get(1);
        assertThat(unconfirmed.getRepeated()).isFalse();
        inserts.clear();
        assertThat(load()).as(said.text()).isZero();
        // The probe was update 1: no batch can have been numbered before.
        SubmissionId again =
                unconfirmed.toBuilder().setEpoch(EPOCH).setNumberedAfter(1).setRepeated(true).build();
        assertThat(inserts).containsExactly(again, again.toBuilder().setNumber(3).build());
        assertThat(rows).isEqualTo(5);
        assertThat(said.text()).contains("5 rows are in (2 of them by earlier runs)");
    }

    @Test
    void shouldSendWhatNeverReachedTheWriterThatStillRemembersTheProbe() throws Exception {
        loadAllButTheAnswerToTheSecondBatch();
        SubmissionId lost = inserts.get(1);
        remembered.keySet().removeIf(id -> id.getNumber() == lost.getNumber());
        rows -= 2;
        timestamp--;
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).as("the cluster has not come as far as the load had").contains("does not remember");
        timestamp++;
        assertThat(load()).as(said.text()).isZero();
        assertThat(rows).isEqualTo(5);
    }

    @Test
    void shouldRefuseWhenAnotherWriterHasTakenOver() throws Exception {
        loadAllButTheAnswerToTheSecondBatch();
        remembered.clear();
        epoch++;
        long before = timestamp;
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("does not remember").contains("2 batches from there on may be in");
        assertThat(timestamp).as("nothing was taken for new").isEqualTo(before);
    }

    @Test
    void shouldRefuseWhenTheWriterHasForgotten() throws Exception {
        loadAllButTheAnswerToTheSecondBatch();
        remembered.clear();
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("does not remember").contains("line 4 is the first").contains("--from-line N");
        assertThat(rows).isEqualTo(5);
        assertThat(load("--restart", "--from-line", "6")).as(said.text()).isZero();
        assertThat(said.text()).contains("1 row is in");
    }

    @Test
    void shouldRefuseWhenTheClusterIsAFreshOne() throws Exception {
        loadAllButTheAnswerToTheSecondBatch();
        remembered.clear();
        timestamp = 0;
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("does not remember");
        assertThat(timestamp).as("nothing was submitted").isZero();
    }

    @Test
    void shouldRefuseAFileThatChangedWhereItIsIn() throws Exception {
        loadAllButTheAnswerToTheSecondBatch();
        write(HEADER + "a,1\nb,2\nC,3\nd,4\ne,5\n");
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("has changed since an earlier run loaded its lines up to 3");
        write(HEADER + "a,1\n");
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("has changed");
    }

    @Test
    void shouldLoadAFileTwiceOnlyWhenTold() throws Exception {
        write(HEADER + "a,1\nb,2\nc,3\n");
        assertThat(load()).isZero();
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("all its 3 rows are in since an earlier run; --restart");
        assertThat(rows).isEqualTo(3);
        assertThat(load("--restart")).isZero();
        assertThat(rows).isEqualTo(6);
        write(HEADER + "x,1\n");
        assertThat(load()).as("another file under the same name").isZero();
        assertThat(rows).isEqualTo(7);
    }

    @Test
    void shouldKeepItsPlaceWhicheverSlotIsTorn() throws Exception {
        loadAllButTheAnswerToTheSecondBatch();
        Path progress;
        try (var files = Files.list(directory.resolve("loads"))) {
            progress = files.findFirst().orElseThrow();
        }
        byte[] whole = Files.readAllBytes(progress);
        for (int slot = 0; slot < 2; slot++) {
            byte[] torn = whole.clone();
            torn[slot * (32 << 10) + 40] ^= 1;
            Files.write(progress, torn);
            assertThat(load()).as(said.text()).isZero();
            assertThat(rows).isEqualTo(5);
        }
        byte[] lost = whole.clone();
        lost[40] ^= 1;
        lost[(32 << 10) + 40] ^= 1;
        Files.write(progress, lost);
        assertThat(load()).isEqualTo(1);
        assertThat(said.text()).contains("is damaged").contains("--restart");
    }

    @Test
    void shouldSetBadLinesAsideOnceAcrossRuns() throws Exception {
        write(HEADER + "a,1\nb,x\nc,3\nd,4\ne,y\nf,6\ng,7\n");
        Path aside = directory.resolve("aside.csv");
        unanswered.set(2);
        assertThat(load("--reject-file", aside.toString())).isEqualTo(1);
        assertThat(load("--reject-file", aside.toString())).as(said.text()).isZero();
        assertThat(said.text()).contains("2 bad lines were set aside in " + aside);
        assertThat(Files.readAllLines(aside)).hasSize(4)
                .anySatisfy(line -> assertThat(line).startsWith("3,\"product_id\",").endsWith(",\"b,x\""))
                .anySatisfy(line -> assertThat(line).startsWith("6,"));
        assertThat(rows).isEqualTo(5);
    }

    @Test
    void shouldNotWriteOverAnotherLoadsRejectFile() throws Exception {
        write(HEADER + "a,1\nb,2\n");
        Path aside = directory.resolve("aside.csv");
        unanswered.set(1);
        assertThat(load("--reject-file", aside.toString())).isEqualTo(1);
        Files.writeString(aside, "another's\n");
        assertThat(load("--reject-file", aside.toString())).isEqualTo(2);
        assertThat(said.text()).contains("exists");
        assertThat(aside).hasContent("another's\n");
    }
}
