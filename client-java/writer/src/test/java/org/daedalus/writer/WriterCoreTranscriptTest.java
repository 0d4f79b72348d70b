package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays what the cluster simulator recorded of the plain twin: the core must do the same, message for message. */
class WriterCoreTranscriptTest {
    private static final Path TRANSCRIPTS = Path.of("../../tests/cluster/transcripts");

    /** The twin sends marks with these events; what ends its driver's turn does not count. */
    private static final Set<String> ENDS_TURN = Set.of("up", "down", "result", "deadline");

    private WriterCore core;

    static Stream<Path> transcripts() throws IOException {
        return Files.list(TRANSCRIPTS).filter(each -> each.getFileName().toString().startsWith("writer-")).sorted();
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void shouldDoWhatItsTwinDid(Path transcript) throws IOException {
        List<String> lines = Files.readAllLines(transcript);
        assertThat(lines).isNotEmpty();
        String[] option = lines.get(0).split(" ");
        assertThat(option[0]).isEqualTo("submissions_known_max");
        int next = 1;
        while (lines.get(next).startsWith("| ")) {
            next++;
        }
        core = new WriterCore(WriterCoreTest.options(Integer.parseInt(option[1])), recover(lines.subList(1, next)));
        while (next < lines.size()) {
            String event = lines.get(next++);
            List<Object> expected = new ArrayList<>();
            while (lines.get(next).startsWith("> ")) {
                expected.add(parseEffect(lines.get(next++).split(" ")));
            }
            assertThat(replay(event.split(" "))).as(event).isEqualTo(expected);
            assertThat("= " + core.nextDeadlineNs()).as(event).isEqualTo(lines.get(next++));
        }
    }

    private static RecoveredJournal recover(List<String> lines) throws InvalidProtocolBufferException {
        if (lines.isEmpty()) {
            return RecoveredJournal.NONE;
        }
        List<RecoveredJournal.Update> updates = new ArrayList<>();
        List<KnownSubmissions.Recovered> submissions = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            if (words[1].equals("update")) {
                List<Route> routes = new ArrayList<>();
                for (int word = 9; word < words.length; word++) {
                    routes.add(Route.parseFrom(unhex(words[word])));
                }
                KeptUpdate update = new KeptUpdate(unhex(words[8]), routes, Long.parseLong(words[7]),
                        key(words[5], words[6]));
                update.confirmedThrough = Long.parseLong(words[3]);
                update.confirmed = Boolean.parseBoolean(words[4]);
                updates.add(new RecoveredJournal.Update(Long.parseLong(words[2]), update));
            } else if (words[1].equals("submission")) {
                submissions.add(new KnownSubmissions.Recovered(key(words[2], words[3]), Long.parseLong(words[4]),
                        words[5].equals("-") ? null : unhex(words[5]).toByteArray(), 0));
            }
        }
        String[] journal = lines.get(0).split(" ");
        return new RecoveredJournal(true, false, Long.parseLong(journal[2]), Long.parseLong(journal[3]),
                Long.parseLong(journal[4]), updates, submissions, Long.parseLong(journal[5]));
    }

    private List<Object> replay(String[] event) throws InvalidProtocolBufferException {
        long now = Long.parseLong(event[1]);
        WriterEffects effects = new WriterEffects();
        List<Object> seen = new ArrayList<>();
        switch (event[2]) {
            case "up" -> core.onUp(Long.parseLong(event[3]), event.length > 4 && Boolean.parseBoolean(event[4]), now,
                    effects);
            case "down" -> core.onDown(Long.parseLong(event[3]), now, effects);
            case "result" -> core.onResult(Long.parseLong(event[3]), Result.parseFrom(unhex(event[4])), now, effects);
            case "probed" -> core.onProbed(Boolean.parseBoolean(event[3]), now, effects);
            case "deadline" -> core.onDeadline(now, effects);
            case "journaled" -> core.onJournaled(Long.parseLong(event[3]), now, effects);
            case "submit" -> {
                WriterEffects.Refusal refusal = submit(event, effects);
                if (refusal != null) {
                    seen.add("refused " + (refusal.isStale() ? "stale " : "") + describe(refusal.error()));
                }
            }
            default -> throw new AssertionError("unknown event " + event[2]);
        }
        if (ENDS_TURN.contains(event[2])) {
            core.sendMarks(now, effects);
        }
        if (!event[2].equals("submit")) {
            assertThat(effects.deadlineNs()).isEqualTo(core.nextDeadlineNs());
        }
        effects.sends().forEach(send -> seen.add(List.of(send.peer(), send.operation())));
        effects.outcomes().forEach(outcome -> seen.add(List.of(outcome.submission(),
                outcome.error() == null ? outcome.confirmed() : describe(outcome.error()))));
        if (effects.probe() != null) {
            seen.add("probe " + effects.probe());
        }
        return seen;
    }

    private WriterEffects.Refusal submit(String[] event, WriterEffects effects)
            throws InvalidProtocolBufferException {
        List<Route> routes = new ArrayList<>();
        for (int word = 10; word < event.length; word++) {
            routes.add(Route.parseFrom(unhex(event[word])));
        }
        Submission submission = new Submission(key(event[3], event[4]), Long.parseUnsignedLong(event[5]),
                Long.parseUnsignedLong(event[6]), Boolean.parseBoolean(event[7]));
        return core.submit(submission, unhex(event[9]), routes, Long.parseLong(event[8]), effects);
    }

    private static SubmissionKey key(String client, String number) {
        return SubmissionKey.of(SubmissionId.newBuilder()
                .setClient(unhex(client)).setNumber(Long.parseUnsignedLong(number)).build());
    }

    private static Object parseEffect(String[] words) throws InvalidProtocolBufferException {
        return switch (words[1]) {
            case "operation" -> List.of(Long.parseLong(words[2]), Operation.parseFrom(unhex(words[3])));
            case "outcome" -> {
                yield List.of(key(words[2], words[3]), words[4].equals("confirmed")
                        ? WriteConfirmed.parseFrom(unhex(words[5])) : join(words, 4));
            }
            default -> join(words, 1);
        };
    }

    private static String join(String[] words, int from) {
        return String.join(" ", List.of(words).subList(from, words.length));
    }

    private static String describe(Error error) {
        return "error " + error.getCategoryValue() + " " + error.getSqlstate() + " " + error.getMessage();
    }

    private static ByteString unhex(String text) {
        return text.equals("-") ? ByteString.EMPTY : ByteString.copyFrom(HexFormat.of().parseHex(text));
    }
}
