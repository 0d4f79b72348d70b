package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replays the client's side of what the cluster simulator recorded between submitters and the writer: every recorded
 * submission is asked for, what the core sends is compared with what was sent, and it gets the answers that were given.
 */
class ClientTranscriptTest {
    private static final Path TRANSCRIPTS = Path.of("../../tests/cluster/transcripts");
    private static final String AGGREGATOR = "a:1";
    private static final long PEER = 1;
    private static final long DEADLINE_NS = Long.MAX_VALUE / 2;

    /** One recorded submission, as the core knows it. */
    private static final class Asked {
        private final SubmissionId recorded;
        private final Request request;
        private SubmissionId sent;
        private long sequence;
        private ClientActions.Delivery end;

        Asked(SubmissionId recorded, Request request) {
            this.recorded = recorded;
            this.request = request;
        }
    }

    private record Refused(Asked asked, Error error) {}

    private final ClientCore core = new ClientCore(List.of(AGGREGATOR), false, "");
    private final List<Asked> all = new ArrayList<>();
    private final Map<SubmissionId, List<Asked>> open = new HashMap<>();
    /** Refused because of what they say about when they were first sent: what is sent next tells what came of it. */
    private final Map<SubmissionId, Refused> stale = new HashMap<>();
    private List<String> lines;
    private int next;
    private long nowNs;
    private int staleCount;

    /**
     * Lists the transcripts of whole clusters, which have clients; those of the first numbers are written by hand and
     * have a writer alone.
     */
    static Stream<Path> transcripts() throws IOException {
        return Files.list(TRANSCRIPTS)
                .filter(each -> each.getFileName().toString().matches("writer-\\d{3}\\.txt")).sorted();
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void shouldSendAndEndWhatWasRecorded(Path transcript) throws IOException {
        lines = Files.readAllLines(transcript);
        core.onUp(AGGREGATOR, PEER, Hellos.AGGREGATOR, 0);
        for (next = 0; next < lines.size(); next++) {
            String[] words = lines.get(next).split(" ");
            if (words[0].equals("<")) {
                nowNs = Long.parseLong(words[1]);
            }
            if (words[0].equals("<") && words[2].equals("submit")) {
                submit(words);
            } else if (words[0].equals(">") && words[1].equals("outcome")) {
                answerAll(words);
            }
        }
        assertThat(all).hasSizeGreaterThan(40);
        assertThat(all).filteredOn(asked -> asked.end != null).hasSizeGreaterThan(20);
        assertThat(staleCount).as("refusals that the client answers by sending again")
                .isEqualTo(lines.stream().filter(line -> line.startsWith("> refused stale")).count());
        loseTheConnection();
        close();
    }

    private static SubmissionId nameOf(SubmissionId id) {
        return SubmissionId.newBuilder().setClient(id.getClient()).setNumber(id.getNumber()).build();
    }

    private static SubmissionId idOf(String[] words) {
        return SubmissionId.newBuilder().setClient(unhex(words[3])).setNumber(Long.parseUnsignedLong(words[4]))
                .setEpoch(Long.parseUnsignedLong(words[5])).setNumberedAfter(Long.parseUnsignedLong(words[6]))
                .setRepeated(Boolean.parseBoolean(words[7])).build();
    }

    private void submit(String[] words) throws InvalidProtocolBufferException {
        SubmissionId id = idOf(words);
        List<Route> routes = new ArrayList<>();
        for (String route : Arrays.asList(words).subList(10, words.length)) {
            routes.add(Route.parseFrom(unhex(route)));
        }
        SubmitBody body = SubmitBody.newBuilder().setUpdate(UpdateBody.parseFrom(unhex(words[9])))
                .addAllRoutes(routes).build();
        Refused refused = stale.remove(nameOf(id));
        // A repetition says that the refusal was lost with its connection.
        Asked asked = refused != null && !id.getRepeated() ? sendAgain(refused, id, body) : sendFirst(id, body);
        String[] answer = lines.get(next + 1).split(" ");
        if (answer[1].equals("refused")) {
            next++;
            refuse(asked, answer);
        }
    }

    private Asked sendFirst(SubmissionId id, SubmitBody body) throws InvalidProtocolBufferException {
        Request request = new Request(Request.Content.of(OperationKind.OPERATION_KIND_SUBMIT, body.toByteString(),
                id.getRepeated() ? id : nameOf(id)), null, DEADLINE_NS);
        Asked asked = new Asked(id, request);
        all.add(asked);
        open.computeIfAbsent(nameOf(id), name -> new ArrayList<>()).add(asked);
        SubmissionStamp known = core.stamp();
        take(core.submit(request, nowNs), body);
        if (id.getRepeated()) {
            assertThat(asked.sent).as("a repetition says what the first sending said").isEqualTo(id);
        } else {
            assertThat(asked.sent).isEqualTo(nameOf(id).toBuilder().setEpoch(known.epoch())
                    .setNumberedAfter(known.numberedAfter()).build());
        }
        return asked;
    }

    /** The refusal reaches the core, which has to send what the recorded submitter sent. */
    private Asked sendAgain(Refused refused, SubmissionId again, SubmitBody body)
            throws InvalidProtocolBufferException {
        WriteRefused message = WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_STALE_SUBMISSION)
                .setEpoch(again.getEpoch()).setTimestamp(again.getNumberedAfter()).setError(refused.error()).build();
        take(core.onResult(PEER, Result.newBuilder().setSequence(refused.asked().sequence).setRefused(message).build(),
                nowNs), body);
        assertThat(refused.asked().sent).as("what the recorded submitter sent next").isEqualTo(again);
        return refused.asked();
    }

    /** Takes what one step of the core wants done; {@code body} is what every operation in it has to carry. */
    private void take(ClientActions actions, SubmitBody body) throws InvalidProtocolBufferException {
        for (ClientActions.Send send : actions.sends()) {
            Asked asked = askedOf(send.request());
            SubmitBody sent = SubmitBody.parseFrom(send.operation().getBody());
            asked.sent = sent.getSubmission();
            asked.sequence = send.operation().getHeader().getSequence();
            if (body != null) {
                assertThat(sent.toBuilder().clearSubmission().build()).isEqualTo(body);
            }
        }
        for (ClientActions.Delivery delivery : actions.deliveries()) {
            Asked asked = askedOf(delivery.request());
            assertThat(asked.end).as("ends once").isNull();
            asked.end = delivery;
        }
    }

    private Asked askedOf(Request request) {
        return all.stream().filter(asked -> asked.request == request).findFirst().orElseThrow();
    }

    private void refuse(Asked asked, String[] words) throws InvalidProtocolBufferException {
        boolean isStale = words[2].equals("stale");
        int at = isStale ? 3 : 2;
        Error error = Error.newBuilder().setCategory(ErrorCategory.forNumber(Integer.parseInt(words[at + 1])))
                .setSqlstate(words[at + 2]).setMessage(words[at + 3]).build();
        if (!isStale) {
            answer(asked, Result.newBuilder().setError(error));
            assertThat(asked.end.failure().sqlState()).isEqualTo(error.getSqlstate());
            open.get(nameOf(asked.recorded)).remove(asked);
            return;
        }
        staleCount++;
        stale.put(nameOf(asked.recorded), new Refused(asked, error));
    }

    private void answer(Asked asked, Result.Builder result) throws InvalidProtocolBufferException {
        take(core.onResult(PEER, result.setSequence(asked.sequence).build(), nowNs), null);
        assertThat(asked.end).isNotNull();
    }

    /** The outcome goes to all who ask under this name. */
    private void answerAll(String[] words) throws InvalidProtocolBufferException {
        SubmissionId name = SubmissionId.newBuilder().setClient(unhex(words[2]))
                .setNumber(Long.parseUnsignedLong(words[3])).build();
        Result.Builder result = words[4].equals("confirmed")
                ? Result.newBuilder().setConfirmed(WriteConfirmed.parseFrom(unhex(words[5])))
                : Result.newBuilder().setError(Error.newBuilder()
                        .setCategory(ErrorCategory.forNumber(Integer.parseInt(words[5]))).setSqlstate(words[6]));
        List<Asked> asking = open.remove(name);
        assertThat(asking).isNotNull();
        for (Asked asked : asking) {
            answer(asked, result);
            if (result.hasConfirmed()) {
                assertThat(asked.end.result().message().getConfirmed()).isEqualTo(result.getConfirmed());
                assertThat(Long.compareUnsigned(core.stamp().numberedAfter(), result.getConfirmed().getTimestamp()))
                        .as("the core has learnt it").isNotNegative();
            }
        }
    }

    private void loseTheConnection() throws InvalidProtocolBufferException {
        List<Asked> unanswered = all.stream().filter(asked -> asked.end == null).toList();
        Map<Asked, SubmissionId> before = new HashMap<>();
        unanswered.forEach(asked -> before.put(asked, asked.sent));
        take(core.onDown(AGGREGATOR, PEER, "reset", nowNs), null);
        take(core.onUp(AGGREGATOR, PEER + 1, Hellos.AGGREGATOR, nowNs), null);
        for (Asked asked : unanswered) {
            assertThat(asked.end).isNull();
            assertThat(asked.sent).isEqualTo(before.get(asked).toBuilder().setRepeated(true).build());
        }
    }

    private void close() throws InvalidProtocolBufferException {
        List<Asked> unanswered = all.stream().filter(asked -> asked.end == null).toList();
        take(core.close(), null);
        assertThat(unanswered).allSatisfy(asked ->
                assertThat(asked.end.failure().category()).isEqualTo(Category.UNKNOWN));
    }

    private static ByteString unhex(String text) {
        return text.equals("-") ? ByteString.EMPTY : ByteString.copyFrom(HexFormat.of().parseHex(text));
    }
}
