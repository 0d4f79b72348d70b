package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.FakeAggregator;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.internal.statements.ParameterBytes;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.ShapeBody;
import org.daedalus.wire.v1.StatementBody;
import org.junit.jupiter.api.Test;

/** Columns that travel once for each definition of a handle, as an aggregator sends them. */
class AnswerColumnsTest {
    private static final String ENDPOINT = "a:1";
    private static final long DEADLINE = 1_000;
    private static final DaedalusException ABORTED = new DaedalusException(Category.RETRY, "57014", "aborted");

    private final ClientCore core = new ClientCore(List.of(ENDPOINT), true, "");
    private final Aggregator aggregator = new Aggregator();
    /** The deliveries since they were looked at last. */
    private final List<ClientActions.Delivery> delivered = new ArrayList<>();
    private long peerId;

    /** One definition of one handle at the other end. */
    private static final class Shape {
        private final long sequence;
        private final String text;
        private boolean columnsAreSent;

        Shape(long sequence, String text) {
            this.sequence = sequence;
            this.text = text;
        }
    }

    /** A query at the other end; shape null: it came whole. */
    private record Job(long sequence, String text, Shape shape) {
        Result.Builder result() {
            return Result.newBuilder().setSequence(sequence);
        }

        /** The first rows of the answer: with columns where no answer of this definition had them before. */
        Result rows() {
            QueryRows.Builder rows = QueryRows.newBuilder();
            if (shape != null) {
                rows.setShapeSequence(shape.sequence);
            }
            if (shape == null || !shape.columnsAreSent) {
                rows.addColumns(column(text));
            }
            if (shape != null) {
                shape.columnsAreSent = true;
            }
            return result().setRows(rows).build();
        }

        Result end() {
            return result().setEnd(QueryEnd.getDefaultInstance()).build();
        }
    }

    private static final class Aggregator {
        private final Map<Integer, Shape> handles = new HashMap<>();
        private final List<Job> jobs = new ArrayList<>();

        void take(ClientActions.Send send) throws IOException {
            byte[] bytes = new byte[send.size()];
            send.writeTo(CodedOutputStream.newInstance(bytes));
            for (Operation operation : OperationBatch.parseFrom(bytes).getOperationsList()) {
                long sequence = operation.getHeader().getSequence();
                int handle = operation.getHeader().getShapeHandle();
                switch (operation.getHeader().getKind()) {
                    case OPERATION_KIND_DEFINE ->
                            handles.put(handle, new Shape(sequence, ShapeBody.parseFrom(operation.getBody()).getSql()));
                    case OPERATION_KIND_STATEMENT -> jobs.add(handle == 0
                            ? new Job(sequence, StatementBody.parseFrom(operation.getBody()).getSql(), null)
                            : new Job(sequence, handles.get(handle).text, handles.get(handle)));
                    default -> { } // An abort, which comes too late here.
                }
            }
        }
    }

    private static Column column(String name) {
        return Column.newBuilder().setName(name).setType(WireTypes.toMessage(FakeAggregator.INT)).build();
    }

    private void connect(int handles) {
        aggregator.handles.clear();
        aggregator.jobs.clear();
        carryOut(core.onUp(ENDPOINT, ++peerId, Hellos.AGGREGATOR.toBuilder().setShapeHandlesMax(handles)
                .setShapeBytesMax(1_000).build(), 0));
    }

    private void carryOut(ClientActions actions) {
        for (ClientActions.Send send : actions.sends()) {
            try {
                aggregator.take(send);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
        delivered.addAll(actions.deliveries());
    }

    private Request ask(String text, long deadlineNs) {
        Request request = new Request(Request.Content.ofStatement(new StatementText(text), ParameterBytes.of(7), null),
                null, deadlineNs);
        carryOut(core.submit(request, 0));
        return request;
    }

    private Request ask(String text) {
        return ask(text, DEADLINE);
    }

    private Job nextJob() {
        return aggregator.jobs.remove(0);
    }

    private void receive(Result result) {
        carryOut(core.onResult(peerId, result, 0));
    }

    private void assertAnswered(Request request) {
        assertThat(delivered).hasSize(1);
        ClientActions.Delivery only = delivered.remove(0);
        assertThat(only.request()).isSameAs(request);
        assertThat(only.failure()).isNull();
        assertThat(request.columns().list()).extracting(ResultColumn::name)
                .containsExactly(request.content.statement().sql());
    }

    private void assertRefused(Request request, String why) {
        assertThat(delivered).hasSize(1);
        ClientActions.Delivery only = delivered.remove(0);
        assertThat(only.request()).isSameAs(request);
        assertThat(only.last()).isTrue();
        assertThat(only.failure().category()).isEqualTo(Category.FATAL);
        assertThat(only.failure().sqlState()).isEqualTo("08P01");
        assertThat(only.failure()).hasMessageContaining(why);
        assertThat(core.abort(request, ABORTED, 0).deliveries()).as("it is over").isEmpty();
    }

    @Test
    void shouldHaveTheColumnsOfTheFirstAnswerOfItsDefinition() {
        connect(10);
        Request first = ask("one");
        Request second = ask("one");
        receive(nextJob().rows());
        assertAnswered(first);
        Result withoutColumns = nextJob().rows();
        assertThat(withoutColumns.getRows().getColumnsList()).isEmpty();
        receive(withoutColumns);
        assertAnswered(second);
        assertThat(second.columns()).isSameAs(first.columns());
    }

    /** Values of other types may make other columns. */
    @Test
    void shouldReadAnAnswerByItsOwnColumnsWhereItIsOfNoShape() {
        connect(10);
        Request first = ask("one");
        Request other = ask("one");
        Request last = ask("one");
        receive(nextJob().rows());
        assertAnswered(first);
        receive(nextJob().result().setRows(QueryRows.newBuilder().addColumns(column("other"))).build());
        delivered.clear();
        assertThat(other.columns().list()).extracting(ResultColumn::name).containsExactly("other");
        receive(nextJob().rows());
        assertAnswered(last);
    }

    @Test
    void shouldLearnFromAnswersThatNobodyWaitsForAnyMore() {
        connect(10);
        Request aborted = ask("one");
        carryOut(core.abort(aborted, ABORTED, 0));
        Request expired = ask("two", 5);
        carryOut(core.onTick(5));
        delivered.clear();
        Request one = ask("one");
        Request two = ask("two");
        receive(nextJob().rows());
        receive(nextJob().rows());
        assertThat(delivered).isEmpty();
        assertThat(expired.finished).isTrue();
        receive(nextJob().rows());
        assertAnswered(one);
        receive(nextJob().rows());
        assertAnswered(two);
    }

    @Test
    void shouldKnowADefinitionWhoseHandleWasDefinedAnewUntilItsLastAnswer() {
        connect(1);
        carryOut(core.abort(ask("old"), ABORTED, 0));
        delivered.clear();
        Request old = ask("old");
        Request renewed = ask("new");
        receive(nextJob().rows());
        assertThat(delivered).isEmpty();
        receive(nextJob().rows());
        assertAnswered(old);
        Request again = ask("old");
        receive(nextJob().rows());
        assertAnswered(renewed);
        Result defined = nextJob().rows();
        assertThat(defined.getRows().getColumnsList()).as("of another definition").isNotEmpty();
        receive(defined);
        assertAnswered(again);
    }

    @Test
    void shouldKeepNoDefinitionWithoutHandleAndNotInFlight() {
        long[] sequence = {0};
        StatementHandles handles = new StatementHandles(Hellos.AGGREGATOR.toBuilder().setShapeHandlesMax(1)
                .setShapeBytesMax(100).build(), () -> ++sequence[0]);
        StatementHandles.Definition old = handles.use(new StatementText("old"));
        assertThat(handles.use(new StatementText("old"))).isSameAs(old);
        handles.onOver(handles.use(new StatementText("new")));
        assertThat(handles.size()).as("one in the handle, one in flight").isEqualTo(2);
        handles.onOver(old);
        assertThat(handles.size()).isEqualTo(2);
        handles.onOver(old);
        assertThat(handles.size()).isEqualTo(1);
        handles.giveUp();
        assertThat(handles.size()).isZero();
    }

    @Test
    void shouldRefuseAnAnswerWhoseColumnsNobodyKnows() {
        connect(10);
        Request request = ask("one");
        Job job = nextJob();
        job.shape().columnsAreSent = true;
        receive(job.rows());
        assertRefused(request, "no columns");
        receive(job.end());
        assertThat(delivered).isEmpty();
    }

    @Test
    void shouldRefuseAnAnswerOfAnotherShape() {
        connect(10);
        Request one = ask("one");
        receive(nextJob().rows());
        assertAnswered(one);
        Request two = ask("two");
        Job job = nextJob();
        receive(new Job(job.sequence, "one", new Shape(one.definition.sequence, "one")).rows());
        assertRefused(two, "of shape " + one.definition.sequence);
        Request whole = ask("x".repeat(1_000));
        assertThat(whole.definition).isNull();
        receive(new Job(nextJob().sequence, "one", new Shape(one.definition.sequence, "one")).rows());
        assertRefused(whole, "of shape");
    }

    @Test
    void shouldLearnNothingFromMalformedColumns() {
        connect(10);
        carryOut(core.abort(ask("one"), ABORTED, 0));
        Request request = ask("one");
        delivered.clear();
        Job late = nextJob();
        receive(late.result().setRows(QueryRows.newBuilder().addColumns(Column.newBuilder().setName("typeless"))
                .setShapeSequence(late.shape().sequence)).build());
        assertThat(delivered).isEmpty();
        late.shape().columnsAreSent = true;
        receive(nextJob().rows());
        assertRefused(request, "no columns");
    }

    @Test
    void shouldTakeColumnsFromEveryAnswerThatHasNoShape() {
        connect(10);
        for (int time = 0; time < 2; time++) {
            Request request = ask("one");
            receive(new Job(nextJob().sequence, "one", null).rows());
            assertAnswered(request);
        }
    }

    @Test
    void shouldGiveEveryAnswerItsColumnsWhateverIsAbortedAndRedefined() {
        Random random = new Random(StatementHandlesTest.seed());
        for (int round = 0; round < 200; round++) {
            new AnswerColumnsTest().playRound(random);
        }
    }

    private void playRound(Random random) {
        connect(random.nextInt(6));
        String[] texts = IntStream.range(0, 1 + random.nextInt(12)).mapToObj(number -> "text " + number)
                .toArray(String[]::new);
        List<Request> asked = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            int kind = random.nextInt(100);
            if (kind == 0) {
                long lost = peerId;
                carryOut(core.onDown(ENDPOINT, lost, "reset", 0));
                connect(random.nextInt(6));
            } else if (kind < 20 && !asked.isEmpty()) {
                carryOut(core.abort(asked.remove(random.nextInt(asked.size())), ABORTED, 0));
            } else if (kind < 60 && !aggregator.jobs.isEmpty()) {
                Job job = aggregator.jobs.remove(random.nextInt(aggregator.jobs.size()));
                receive(job.rows());
                receive(job.end());
            } else {
                asked.add(ask(texts[random.nextInt(texts.length)]));
            }
            checkDelivered();
        }
    }

    private void checkDelivered() {
        for (ClientActions.Delivery each : delivered) {
            if (each.failure() != null) {
                assertThat(each.failure()).isSameAs(ABORTED);
            } else {
                assertThat(each.request().columns().list()).extracting(ResultColumn::name)
                        .containsExactly(each.request().content.statement().sql());
            }
        }
        delivered.clear();
    }
}
