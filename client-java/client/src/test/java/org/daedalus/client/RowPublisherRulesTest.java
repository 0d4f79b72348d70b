package org.daedalus.client;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Flow;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.StatementBody;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/**
 * The rules of Reactive Streams, checked by that project's own kit, over a socket. The statement says how many rows the
 * fake aggregator answers with.
 */
@Test
public class RowPublisherRulesTest extends FlowPublisherVerification<Row> {
    private static final long NO_SIGNAL_WITHIN_MS = 50;
    private static final long SIGNAL_WITHIN_MS = 2_000;
    private static final long ELEMENTS_MAX = 10_000;
    private static final int ROWS_PER_MESSAGE = 7;
    private static final String MANY = "SELECT many";
    private static final String FAILING = "SELECT nothing";

    private FakeAggregator fake;
    private DaedalusClient client;

    public RowPublisherRulesTest() {
        super(new TestEnvironment(SIGNAL_WITHIN_MS, NO_SIGNAL_WITHIN_MS));
    }

    @BeforeClass
    public void connect() throws IOException {
        fake = new FakeAggregator(RowPublisherRulesTest::answer);
        client = DaedalusClient.builder().aggregators(fake.endpoint()).requestTimeout(Duration.ofSeconds(60)).build();
    }

    @AfterClass
    public void disconnect() {
        client.close();
        fake.close();
    }

    @Override
    public Flow.Publisher<Row> createFlowPublisher(long elements) {
        return client.statement(elements > ELEMENTS_MAX ? MANY : "SELECT " + elements).publish();
    }

    @Override
    public Flow.Publisher<Row> createFailedFlowPublisher() {
        return client.statement(FAILING).publish();
    }

    @Override
    public long maxElementsFromPublisher() {
        return ELEMENTS_MAX;
    }

    private static void answer(FakeAggregator self, Operation operation) {
        if (!operation.getHeader().getKind().name().endsWith("STATEMENT")) {
            return; // An abort: everything has been answered long since.
        }
        String sql = sqlOf(operation);
        if (sql.equals(FAILING)) {
            self.answerError(operation, ErrorCategory.ERROR_CATEGORY_REJECTED, "42703", "no such column");
            return;
        }
        int rows = sql.equals(MANY) ? (int) ELEMENTS_MAX : Integer.parseInt(sql.substring("SELECT ".length()));
        self.answerRows(operation);
        for (int row = 0; row < rows; row += ROWS_PER_MESSAGE) {
            Object[][] batch = new Object[Math.min(ROWS_PER_MESSAGE, rows - row)][];
            for (int i = 0; i < batch.length; i++) {
                batch[i] = new Object[] {"A", row + i};
            }
            self.answerRows(operation, batch);
        }
        self.answerEnd(operation, rows);
    }

    private static String sqlOf(Operation operation) {
        try {
            return StatementBody.parseFrom(operation.getBody()).getSql();
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }
}
