package org.daedalus.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** HikariCP, the pool that most use: borrowed and given back, by many threads, with settings that it takes back. */
@EnabledIfSystemProperty(named = Servers.DAEDALUS, matches = ".+")
class HikariTest {
    private static HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(System.getProperty(Servers.DAEDALUS));
        config.setMaximumPoolSize(size);
        config.setConnectionInitSql("SELECT 1");
        config.setConnectionTestQuery("SELECT 1");
        return new HikariDataSource(config);
    }

    private static int askFor(HikariDataSource pool, int id) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT id FROM kinds WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getInt(1) : -1;
            }
        }
    }

    @Test
    void shouldServeManyThreadsOverAFewConnections() throws Exception {
        try (Connection connection = Servers.connectToEmpty();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO kinds (id) VALUES (?)")) {
            for (int id = 0; id < 100; ++id) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try (HikariDataSource pool = pool(4)) {
            List<Future<Integer>> asked =
                    IntStream.range(0, 400).mapToObj(id -> threads.submit(() -> askFor(pool, id % 100))).toList();
            for (int id = 0; id < asked.size(); ++id) {
                assertThat(asked.get(id).get(60, TimeUnit.SECONDS)).isEqualTo(id % 100);
            }
            assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isBetween(1, 4);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void shouldTakeBackWhatABorrowerHasSet() throws SQLException {
        try (HikariDataSource pool = pool(1)) {
            try (Connection connection = pool.getConnection()) {
                connection.setReadOnly(true);
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                connection.setSchema("public");
                connection.setAutoCommit(false);
                connection.setNetworkTimeout(Runnable::run, 30_000);
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.isReadOnly()).isFalse();
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(connection.isValid(5)).isTrue();
            }
        }
    }
}
