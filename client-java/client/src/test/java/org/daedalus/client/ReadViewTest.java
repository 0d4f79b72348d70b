package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.Features;
import org.daedalus.wire.v1.Held;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.HoldBody;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application asks several queries at one moment. */
@Timeout(60)
class ReadViewTest {
    private static final long TIMEOUT_S = 20;

    private final FakeAggregator fake = new FakeAggregator(
            Hello.newBuilder().setClusterId("flights-1").setFeatures(Features.MOMENTS).build(), 0,
            ReadViewTest::answer);

    ReadViewTest() throws IOException {}

    private static void answer(FakeAggregator self, Operation operation) {
        if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_HOLD) {
            self.answer(operation, Result.newBuilder().setHeld(Held.newBuilder().setOldest(70)));
        } else {
            long at = operation.getHeader().getIsFirm() ? operation.getHeader().getAt() : 90;
            self.answerRows(operation, new Object[] {"A", 1});
            self.answer(operation, Result.newBuilder().setEnd(QueryEnd.newBuilder().setRowCount(1).setMoment(at)));
        }
    }

    private DaedalusClient client() {
        return DaedalusClient.builder().aggregators(fake.endpoint()).requestTimeout(Duration.ofSeconds(TIMEOUT_S))
                .build();
    }

    private Operation next() throws InterruptedException {
        Operation operation = fake.seen.poll(TIMEOUT_S, TimeUnit.SECONDS);
        assertThat(operation).isNotNull();
        return operation;
    }

    private List<Long> held() throws InterruptedException, InvalidProtocolBufferException {
        Operation hold = next();
        assertThat(hold.getHeader().getKind()).isEqualTo(OperationKind.OPERATION_KIND_HOLD);
        return HoldBody.parseFrom(hold.getBody()).getMomentsList();
    }

    @Test
    void shouldAskSeveralQueriesAtTheMomentThatItHoldsAndLetItGo() throws Exception {
        try (DaedalusClient client = client()) {
            try (ReadView view = client.await(client.readView())) {
                assertThat(view.moment()).isEqualTo(70);
                assertThat(held()).containsExactly(0L);
                for (ResultSet rows : List.of(client.select("rloc").at(view).execute(),
                        client.statement("SELECT rloc FROM bookings").asQuery().at(view).execute())) {
                    OperationHeader asked = next().getHeader();
                    assertThat(asked.getAt()).isEqualTo(70);
                    assertThat(asked.getIsFirm()).isTrue();
                    assertThat(rows.moment()).isEqualTo(70);
                    rows.close();
                }
            }
            assertThat(held()).as("it is closed").isEmpty();
            assertThat(client.select("rloc").execute().moment()).isEqualTo(90);
        }
    }

    @Test
    void shouldLetAMomentGoThatNobodyWaitsForAnyMore() throws Exception {
        try (DaedalusClient client = client()) {
            CompletableFuture<ReadView> view = client.readView();
            if (!view.cancel(true)) { // It came before.
                view.join().close();
            }
            assertThat(held()).containsExactly(0L);
            assertThat(held()).isEmpty();
        }
    }

    @Test
    void shouldRefuseAMomentForAnUpdate() {
        try (DaedalusClient client = client()) {
            assertThatThrownBy(() -> client.deleteFrom().where(Condition.eq("product_id", 7)).at(70).execute())
                    .isInstanceOfSatisfying(DaedalusException.class, failure -> {
                        assertThat(failure.category()).isEqualTo(Category.REJECTED);
                        assertThat(failure.sqlState()).isEqualTo("0A000");
                    });
            Statement<Outcome> delete = client.statement("DELETE FROM bookings").freshness(Duration.ofSeconds(1));
            assertThatThrownBy(delete::execute).isInstanceOf(DaedalusException.class)
                    .hasMessageContaining("only a query");
        }
    }

    @Test
    void shouldRefuseWhatIsNoMoment() {
        try (DaedalusClient client = client()) {
            assertThatThrownBy(() -> client.select("rloc").at(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.select("rloc").freshness(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
