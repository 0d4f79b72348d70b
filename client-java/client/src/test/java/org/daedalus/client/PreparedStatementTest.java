package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Year;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.Constants;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.PartitionOutcome;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.ShapeBody;
import org.daedalus.wire.v1.StatementBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prepared statements and texts over real connections, to aggregators that keep handles and to such that do not. */
@Timeout(60)
class PreparedStatementTest {
    private static final Hello HANDLES = Hello.newBuilder().setClusterId("c").setShapeHandlesMax(4)
            .setShapeBytesMax(4_000)
            .build();
    private static final String QUERY = "SELECT rloc, product_id FROM bookings WHERE rloc = $1";

    /** Answers a query with its text and its first parameter, and confirms an update. */
    private static final class Echo implements BiConsumer<FakeAggregator, Operation> {
        private final Map<Integer, String> handles = new HashMap<>();
        private int definitions;

        @Override
        public void accept(FakeAggregator fake, Operation operation) {
            try {
                int handle = operation.getHeader().getShapeHandle();
                if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_DEFINE) {
                    handles.put(handle, ShapeBody.parseFrom(operation.getBody()).getSql());
                    definitions++;
                    return;
                }
                StatementBody body = StatementBody.parseFrom(operation.getBody());
                String text = handle == 0 ? body.getSql() : handles.get(handle);
                if (new StatementText(text).isQuery()) {
                    fake.answerRows(operation, new Object[] {text.substring(0, 11),
                        Integer.valueOf(Constants.toValue(body.getParameters(0)).toString())});
                    fake.answerEnd(operation, 1);
                } else {
                    assertThat(body.hasSubmission()).isTrue();
                    fake.answer(operation, Result.newBuilder().setConfirmed(WriteConfirmed.newBuilder()
                            .addOutcomes(PartitionOutcome.newBuilder().setRowsMatched(3).setRowsApplied(3))));
                }
            } catch (IOException | WireException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static DaedalusClient client(FakeAggregator fake) {
        return DaedalusClient.builder().aggregators(fake.endpoint()).requestTimeout(Duration.ofSeconds(20)).build();
    }

    private static void answers(ResultSet rows, int value) {
        assertThat(rows.toList()).hasSize(1).allSatisfy(row -> {
            assertThat(row.getString("rloc")).isEqualTo(QUERY.substring(0, 11));
            assertThat(row.getInt("product_id")).isEqualTo(value);
        });
    }

    @Test
    void shouldAnswerByTextAndPreparedThroughTheSameHandle() throws Exception {
        Echo echo = new Echo();
        try (FakeAggregator fake = new FakeAggregator(HANDLES, 0, echo); DaedalusClient client = client(fake)) {
            PreparedStatement prepared = client.prepare(QUERY);
            assertThat(prepared.sql()).isEqualTo(QUERY);
            for (int value = 0; value < 20; value++) {
                answers(client.await(prepared.query(value)), value);
                answers(client.await(client.query(QUERY, value)), value);
                answers((ResultSet) client.await(prepared.execute(value)), value);
                answers(prepared.bind(value).asQuery().timeout(Duration.ofSeconds(19)).execute(), value);
            }
            assertThat(echo.definitions).isEqualTo(1);
            PreparedStatement update = client.prepare("UPDATE bookings SET product_id = $1");
            assertThat(client.await(update.update(7)).applied()).isEqualTo(3);
            assertThat(echo.handles).hasSize(2);
        }
    }

    @Test
    void shouldAnswerWhereNoHandlesAreKept() throws Exception {
        Echo echo = new Echo();
        try (FakeAggregator fake = new FakeAggregator(echo); DaedalusClient client = client(fake)) {
            PreparedStatement prepared = client.prepare(QUERY);
            answers(client.await(prepared.query(1)), 1);
            answers(client.await(prepared.query(2)), 2);
            assertThat(echo.definitions).isZero();
        }
    }

    @Test
    void shouldOutliveItsConnection() throws Exception {
        Echo first = new Echo();
        FakeAggregator fake = new FakeAggregator(HANDLES, 0, first);
        try (DaedalusClient client = client(fake)) {
            PreparedStatement prepared = client.prepare(QUERY);
            answers(client.await(prepared.query(1)), 1);
            fake.close();
            Echo second = new Echo();
            try (FakeAggregator again = new FakeAggregator(HANDLES, fake.port(), second)) {
                answers(client.await(prepared.query(2)), 2);
                assertThat(again.seen).hasSize(2);
                assertThat(second.definitions).isEqualTo(1);
            }
        } finally {
            fake.close();
        }
    }

    @Test
    void shouldRefuseAValueThatNoTypeCorrespondsToAtOnce() throws Exception {
        try (FakeAggregator fake = new FakeAggregator(new Echo()); DaedalusClient client = client(fake)) {
            assertThatThrownBy(() -> client.prepare(QUERY).bind(Year.of(2013)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.prepare(null)).isInstanceOf(NullPointerException.class);
        }
    }
}
