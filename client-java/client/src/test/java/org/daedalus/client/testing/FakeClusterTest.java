package org.daedalus.client.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.ReadView;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.Row;
import org.daedalus.client.WriteOutcome;
import org.daedalus.wire.ColumnType;
import org.junit.jupiter.api.Test;

/** The fake as a test of an application uses it: through nothing but the library's API. */
class FakeClusterTest {
    private static final List<ResultColumn> COLUMNS = List.of(new ResultColumn("seat", ColumnType.varcharOf(4)),
            new ResultColumn("product_id", ColumnType.of(ColumnType.Kind.INT)));

    private static Reply behaviour(Asked asked) {
        if (asked.sql().startsWith("SELECT")) {
            return Reply.rows(COLUMNS, List.of(List.of("12A", 7), Arrays.asList(null, 8)));
        }
        if (asked.sql().startsWith("DELETE")) {
            return Reply.failure(Category.REJECTED, "42501", "not yours");
        }
        return asked.sql().startsWith("UPDATE") ? Reply.silence() : Reply.applied(Math.max(1, asked.rows().size()));
    }

    @Test
    void shouldHoldAMomentForSeveralQueries() throws Exception {
        try (FakeCluster cluster = FakeCluster.start("seats", COLUMNS, FakeClusterTest::behaviour);
                DaedalusClient client = DaedalusClient.builder().aggregators(cluster.endpoint()).build()) {
            WriteOutcome before = client.await(client.update("INSERT INTO seats VALUES ($1, $2)", "1C", null));
            try (ReadView view = client.await(client.readView())) {
                assertThat(view.moment()).isEqualTo(before.timestamp());
                client.await(client.update("INSERT INTO seats VALUES ($1, $2)", "2D", null));
                assertThat(client.select("seat").at(view).execute().moment()).isEqualTo(before.timestamp());
            }
            assertThat(client.select("seat").execute().moment()).isGreaterThan(before.timestamp());
        }
    }

    @Test
    void shouldAnswerARealClientAsTheTestSays() throws Exception {
        try (FakeCluster cluster = FakeCluster.start("seats", COLUMNS, FakeClusterTest::behaviour);
                DaedalusClient client = DaedalusClient.builder().aggregators(cluster.endpoint()).build()) {
            List<Row> rows = client.await(client.query("SELECT * FROM seats WHERE product_id > $1", 6)).toList();
            assertThat(rows).extracting(row -> row.getText("seat")).containsExactly("12A", null);
            WriteOutcome first = client.await(client.update("INSERT INTO seats VALUES ($1, $2)", "1C", null));
            WriteOutcome second = client.rowBatch(client.await(client.describe())).add("2D", 9).add(null, 10).execute();
            assertThat(second.applied()).isEqualTo(2);
            assertThat(second.timestamp()).isGreaterThan(first.timestamp());
            assertThatThrownBy(() -> client.await(client.update("DELETE FROM seats")))
                    .isInstanceOfSatisfying(DaedalusException.class,
                            failure -> assertThat(failure.sqlState()).isEqualTo("42501"))
                    .hasMessageContaining("not yours");
            assertThatThrownBy(() -> client.statement("UPDATE seats SET seat = '3E'").timeout(Duration.ofMillis(50))
                    .execute()).isInstanceOfSatisfying(DaedalusException.class,
                            failure -> assertThat(failure.category()).isEqualTo(Category.UNKNOWN));
            assertThat(cluster.asked()).startsWith(
                    new Asked("SELECT * FROM seats WHERE product_id > $1", List.of(6), List.of()),
                    new Asked("INSERT INTO seats VALUES ($1, $2)", Arrays.asList("1C", null), List.of()),
                    new Asked("", List.of(), List.of(List.of("2D", 9), Arrays.asList(null, 10))));
        }
    }
}
