package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.daedalus.client.internal.statements.ParameterBytes;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.ShapeBody;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.SubmissionId;
import org.junit.jupiter.api.Test;

/** Statements by handle, as a receiver that keeps handles reads them. */
class StatementHandlesTest {
    private static final String A = "a:1";
    private static final String B = "b:1";
    private static final long DEADLINE = Long.MAX_VALUE / 2;
    private static final SubmissionId ID = SubmissionId.newBuilder().setNumber(1).build();

    private final ClientCore core = new ClientCore(List.of(A, B), true, "");
    private final Map<Long, Receiver> receivers = new HashMap<>();

    private static Hello hello(int handles, int bytes) {
        return Hellos.AGGREGATOR.toBuilder().setShapeHandlesMax(handles).setShapeBytesMax(bytes).build();
    }

    private static Request statement(String sql, SubmissionId submission, Object... parameters) {
        return new Request(Request.Content.ofStatement(new StatementText(sql), ParameterBytes.of(parameters),
                submission), null, DEADLINE);
    }

    private static Request query(String sql) {
        return statement(sql, null, 7);
    }

    /** Everything that one send brings, in order. */
    private static List<Operation> operations(ClientActions.Send send) {
        byte[] bytes = new byte[send.size()];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            send.writeTo(out);
            out.checkNoSpaceLeft();
            return OperationBatch.parseFrom(bytes).getOperationsList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The other end of one connection keeps and demands this (docs/wire.md, "Shapes"). */
    private static final class Receiver {
        private final Hello hello;
        private final Map<Integer, ShapeBody> handles = new HashMap<>();
        private final List<Request> inFlight = new ArrayList<>();
        private long lastSequence;
        private int definitions;

        Receiver(Hello hello) {
            this.hello = hello;
        }

        /** The text that the send's statement means here. */
        String take(ClientActions.Send send) {
            String text = null;
            for (Operation operation : operations(send)) {
                assertThat(text).as("the statement is the last").isNull();
                text = take(operation);
            }
            return text;
        }

        private String take(Operation operation) {
            assertThat(operation.getHeader().getSequence()).isGreaterThan(lastSequence);
            lastSequence = operation.getHeader().getSequence();
            int handle = operation.getHeader().getShapeHandle();
            try {
                if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_DEFINE) {
                    define(handle, ShapeBody.parseFrom(operation.getBody()));
                    return null;
                }
                StatementBody body = StatementBody.parseFrom(operation.getBody());
                if (handle == 0) {
                    return body.getSql();
                }
                assertThat(body.getSql()).isEmpty();
                assertThat(handles).containsKey(handle);
                return handles.get(handle).getSql();
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        }

        private void define(int handle, ShapeBody shape) {
            definitions++;
            assertThat((long) handle).isBetween(1L, Integer.toUnsignedLong(hello.getShapeHandlesMax()));
            handles.put(handle, shape);
            assertThat((long) shape.getSerializedSize())
                    .isLessThanOrEqualTo(Integer.toUnsignedLong(hello.getShapeBytesMax()));
        }
    }

    private Receiver connect(String endpoint, long peer, Hello hello) {
        Receiver receiver = new Receiver(hello);
        receivers.put(peer, receiver);
        take(core.onUp(endpoint, peer, hello, 0));
        return receiver;
    }

    /** Lets the receivers read what leaves; everything in it must mean what was asked. */
    private void take(ClientActions actions) {
        for (ClientActions.Send send : actions.sends()) {
            Receiver receiver = receivers.get(send.peerId());
            assertThat(receiver.take(send)).isEqualTo(send.request().content.statement().sql());
            receiver.inFlight.add(send.request());
        }
    }

    private Operation sent(Request request) {
        ClientActions actions = core.submit(request, 0);
        assertThat(actions.sends()).hasSize(1);
        List<Operation> all = operations(actions.sends().get(0));
        assertThat(receivers.get(actions.sends().get(0).peerId()).take(actions.sends().get(0)))
                .isEqualTo(request.content.statement().sql());
        return all.get(all.size() - 1);
    }

    @Test
    void shouldDefineATextOnceAndThenSendValuesAlone() throws Exception {
        Receiver receiver = connect(A, 1, hello(10, 10_000));
        for (int time = 1; time <= 3; time++) {
            Operation operation = sent(query("SELECT a FROM t WHERE b = $1"));
            assertThat(operation.getHeader().getSequence()).isEqualTo(time + 1);
            assertThat(operation.getHeader().getShapeHandle()).isEqualTo(1);
            assertThat(StatementBody.parseFrom(operation.getBody()))
                    .isEqualTo(StatementBody.parseFrom(ParameterBytes.of(7)));
        }
        assertThat(receiver.definitions).isEqualTo(1);
    }

    @Test
    void shouldCountDefinitionsAmongWhatIsInFlightNowhere() {
        connect(A, 1, hello(100, 100_000));
        for (int number = 0; number < ClientCore.PEER_IN_FLIGHT_MAX; number++) {
            assertThat(core.submit(query("SELECT " + number % 1_000 + " FROM t WHERE b = $1"), 0).sends()).hasSize(1);
        }
        assertThat(core.submit(query("SELECT 1"), 0).sends()).isEmpty();
    }

    @Test
    void shouldEvictWhatWasNotUsedForLongest() {
        connect(A, 1, hello(2, 10_000));
        assertThat(sent(query("one $1")).getHeader().getShapeHandle()).isEqualTo(1);
        assertThat(sent(query("two $1")).getHeader().getShapeHandle()).isEqualTo(2);
        assertThat(sent(query("one $1")).getHeader().getShapeHandle()).isEqualTo(1);
        assertThat(sent(query("three $1")).getHeader().getShapeHandle()).isEqualTo(2);
        assertThat(sent(query("one $1")).getHeader().getShapeHandle()).isEqualTo(1);
        assertThat(receivers.get(1L).definitions).isEqualTo(3);
    }

    @Test
    void shouldSendWholeWhatIsNotWorthAHandle() {
        connect(A, 1, hello(10, 12_000));
        String fitting = "x".repeat(12_000 - 3);
        assertThat(new StatementText(fitting).field().size()).isEqualTo(12_000);
        assertThat(sent(query(fitting)).getHeader().getShapeHandle()).isPositive();
        assertThat(sent(query(fitting + "x")).getHeader().getShapeHandle()).isZero();
        assertThat(sent(statement("no parameters", null)).getHeader().getShapeHandle()).isZero();
        assertThat(sent(statement("x".repeat(11_000), ID, 1)).getHeader().getShapeHandle()).isPositive();
        connect(B, 2, hello(10, 1_000_000));
        core.onDown(A, 1, "reset", 0);
        assertThat(sent(statement("x".repeat(Request.WRITING_TEXT_SIZE_MAX), ID, 1)).getHeader().getShapeHandle())
                .isZero();
        assertThat(sent(query("x".repeat(Request.WRITING_TEXT_SIZE_MAX))).getHeader().getShapeHandle()).isPositive();
    }

    @Test
    void shouldKeepNoMoreThanItsOwnBounds() {
        long[] sequence = {0};
        StatementHandles handles = new StatementHandles(hello(-1, -1), () -> ++sequence[0]);
        for (int number = 0; number < StatementHandles.HANDLES_MAX + 10; number++) {
            StatementHandles.Definition used = handles.use(new StatementText(number + " $1"));
            assertThat(used.handle).isEqualTo(number % StatementHandles.HANDLES_MAX + 1);
            handles.onOver(used);
        }
        assertThat(handles.size()).isEqualTo(StatementHandles.HANDLES_MAX);
        assertThat(handles.use(new StatementText("11 $1")).sequence).as("still there").isEqualTo(12);
        assertThat(handles.use(new StatementText("0 $1")).sequence).as("evicted").isEqualTo(sequence[0]);
        String large = "x".repeat(StatementHandles.BODY_SIZE_MAX);
        assertThat(handles.use(new StatementText(large))).isNull();
        assertThat(handles.use(new StatementText(large.substring(10)))).isNotNull();
    }

    @Test
    void shouldSendEverythingWholeWhereNoHandlesAreOffered() {
        connect(A, 1, Hellos.AGGREGATOR);
        assertThat(sent(query("one $1")).getHeader().getShapeHandle()).isZero();
        connect(B, 2, hello(-1, -1));
        assertThat(sent(query("one $1")).getHeader().getShapeHandle()).as("more than this side can count").isEqualTo(1);
    }

    @Test
    void shouldDefineAgainOnAnotherConnection() {
        connect(A, 1, hello(10, 10_000));
        take(core.submit(query("one $1"), 0));
        core.onDown(A, 1, "reset", 5);
        Receiver again = connect(A, 2, hello(10, 10_000));
        assertThat(again.inFlight).as("the query that was on its way").hasSize(1);
        assertThat(again.definitions).isEqualTo(1);
    }

    @Test
    void shouldSendWholeFromThenOnWhenADefinitionCouldNotBeSent() {
        Receiver receiver = connect(A, 1, hello(10, 10_000));
        take(core.submit(query("before $1"), 0));
        Request refused = query("one $1");
        ClientActions.Send lost = core.submit(refused, 0).sends().get(0);
        ClientActions.Send behind = core.submit(query("one $1"), 0).sends().get(0);
        ClientActions.Send whole = core.submit(statement("two", null), 0).sends().get(0);
        for (ClientActions.Send send : List.of(lost, behind)) {
            ClientActions actions = core.onSendRefused(send.request(), send == lost, 0);
            assertThat(actions.sends()).as("not before what stands behind it").isEmpty();
            assertThat(actions.deliveries()).isEmpty();
        }
        assertThat(behind.isVoid()).isTrue();
        assertThat(whole.isVoid()).isFalse();
        assertThat(receiver.take(whole)).isEqualTo("two");
        assertThat(core.nextDeadlineNs()).isZero();
        ClientActions again = core.onTick(0);
        assertThat(again.sends()).hasSize(2);
        take(again);
        assertThat(sent(query("before $1")).getHeader().getShapeHandle()).isZero();
    }

    @Test
    void shouldMeanWhatWasAskedWhateverIsLostAndRedefined() {
        Random random = new Random(seed());
        for (int round = 0; round < 200; round++) {
            new StatementHandlesTest().playRound(random);
        }
    }

    static long seed() {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        return seed;
    }

    private void playRound(Random random) {
        Hello hello = hello(random.nextInt(12), random.nextInt(2_000));
        long nextPeer = 1;
        String[] texts = IntStream.range(0, 1 + random.nextInt(30))
                .mapToObj(number -> number + " $1 " + "x".repeat(random.nextInt(250))).toArray(String[]::new);
        for (int step = 0; step < 300; step++) {
            int kind = random.nextInt(20);
            if (receivers.isEmpty() || kind == 0) {
                connect(random.nextBoolean() ? A : B, nextPeer++, hello);
            } else if (kind == 1) {
                long lost = receivers.keySet().iterator().next();
                receivers.remove(lost);
                take(core.onDown(A, lost, "reset", step));
            } else if (kind < 6) {
                answerOne(random, step);
            } else {
                take(core.submit(query(texts[Math.min(random.nextInt(texts.length), random.nextInt(texts.length))]),
                        step));
            }
        }
    }

    private void answerOne(Random random, long nowNs) {
        for (Map.Entry<Long, Receiver> each : Map.copyOf(receivers).entrySet()) {
            List<Request> inFlight = each.getValue().inFlight;
            if (!inFlight.isEmpty()) {
                Request request = inFlight.remove(random.nextInt(inFlight.size()));
                take(core.onResult(each.getKey(), Result.newBuilder().setSequence(request.sequence)
                        .setEnd(QueryEnd.getDefaultInstance()).build(), nowNs));
            }
        }
    }
}
