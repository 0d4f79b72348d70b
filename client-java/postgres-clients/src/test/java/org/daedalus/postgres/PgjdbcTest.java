package org.daedalus.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** PostgreSQL's JDBC driver against an aggregator: prepared, batched, streamed, cancelled. */
@EnabledIfSystemProperty(named = Servers.DAEDALUS, matches = ".+")
class PgjdbcTest {
    private static final String INSERT = "INSERT INTO kinds (id, yes, small, big, single, twice, price, day, at, "
            + "clock, tag, code, name, moment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final List<Object> ROW = List.of(1, true, (short) -3, 1L << 40, 1.5f, 0.1,
            new BigDecimal("12345.678"), LocalDate.of(2013, 2, 8),
            LocalDateTime.of(2013, 2, 8, 9, 30, 0, 250_000_000), LocalTime.of(4, 5, 6),
            new UUID(0, 7), "ab  ", "Zoë, 'quoted'", OffsetDateTime.of(2013, 2, 8, 9, 30, 0, 0, ZoneOffset.UTC));

    private static final String ENDLESS = "SELECT count(*) FROM pg_proc a, pg_proc b, pg_proc c, pg_proc d";

    private static long count(Connection connection, String where) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM kinds WHERE " + where)) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }

    private static void fill(Connection connection, int rows) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO kinds (id, big) VALUES (?, ?)")) {
            for (int id = 0; id < rows; ++id) {
                insert.setInt(1, id);
                insert.setLong(2, 10L * id);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(rows).containsOnly(1);
        }
    }

    /** A driver prepares by name, and in binary, from its fifth time on: both ways are seen. */
    @ParameterizedTest
    @ValueSource(strings = {"prepareThreshold=5", "prepareThreshold=1", "prepareThreshold=-1", "preferQueryMode=simple",
            "preferQueryMode=extendedForPrepared", "preferQueryMode=extendedCacheEverything"})
    void shouldBringEveryTypeBackAsItWentIn(String option) throws SQLException {
        try (Connection connection = Servers.connectToEmpty(option);
                PreparedStatement insert = connection.prepareStatement(INSERT);
                PreparedStatement select = connection.prepareStatement("SELECT * FROM kinds WHERE id = ?")) {
            for (int id = 1; id <= 8; ++id) {
                insert.setInt(1, id);
                for (int column = 2; column <= ROW.size(); ++column) {
                    insert.setObject(column, ROW.get(column - 1));
                }
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
            for (int id = 1; id <= 8; ++id) {
                select.setInt(1, id);
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    for (int column = 2; column <= ROW.size(); ++column) {
                        Object expected = ROW.get(column - 1);
                        Class<?> type = expected instanceof Short ? Short.class : expected.getClass();
                        assertThat((Object) rows.getObject(column, type)).as("column %d", column).isEqualTo(expected);
                    }
                    assertThat(rows.next()).isFalse();
                }
            }
        }
    }

    @Test
    void shouldWriteAndReadNulls() throws SQLException {
        try (Connection connection = Servers.connectToEmpty();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setInt(1, 1);
            for (int column = 2; column <= ROW.size(); ++column) {
                insert.setNull(column, java.sql.Types.NULL);
            }
            insert.executeUpdate();
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT * FROM kinds")) {
                assertThat(rows.next()).isTrue();
                for (int column = 2; column <= ROW.size(); ++column) {
                    assertThat(rows.getObject(column)).as("column %d", column).isNull();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"reWriteBatchedInserts=false", "reWriteBatchedInserts=true"})
    void shouldInsertABatchAsOneUpdate(String option) throws SQLException {
        try (Connection connection = Servers.connectToEmpty(option);
                PreparedStatement insert = connection.prepareStatement("INSERT INTO kinds (id) VALUES (?)")) {
            for (int id = 0; id < 1000; ++id) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(1000);
            assertThat(count(connection, "true")).isEqualTo(1000);
        }
    }

    @Test
    void shouldCountEachUpdateOfABatch() throws SQLException {
        try (Connection connection = Servers.connectToEmpty();
                PreparedStatement update = connection.prepareStatement("UPDATE kinds SET big = ? WHERE id < ?")) {
            fill(connection, 50);
            for (int id = 0; id < 100; ++id) {
                update.setLong(1, id);
                update.setInt(2, id);
                update.addBatch();
            }
            assertThat(update.executeBatch())
                    .containsExactly(IntStream.range(0, 100).map(id -> Math.min(id, 50)).toArray());
            assertThat(count(connection, "big = 99")).isEqualTo(50);
        }
    }

    @Test
    void shouldInsertNothingOfABatchThatFails() throws SQLException {
        try (Connection connection = Servers.connectToEmpty(); Statement batch = connection.createStatement()) {
            batch.addBatch("INSERT INTO kinds (id) VALUES (1)");
            batch.addBatch("INSERT INTO kinds (id) VALUES ('nothing')");
            BatchUpdateException failed = catchThrowableOfType(BatchUpdateException.class, batch::executeBatch);
            assertThat(failed.getSQLState()).isEqualTo("22P02");
            assertThat(count(connection, "true")).isZero();
        }
    }

    @Test
    void shouldReturnWhatWasInserted() throws SQLException {
        try (Connection connection = Servers.connectToEmpty();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO kinds (id, name) VALUES (?, upper(?))", new String[] {"id", "name"})) {
            insert.setInt(1, 7);
            insert.setString(2, "seven");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt("id")).isEqualTo(7);
                assertThat(keys.getString("name")).isEqualTo("SEVEN");
            }
        }
    }

    @Test
    void shouldCommitAndRollBackBlocksOfInserts() throws SQLException {
        try (Connection connection = Servers.connectToEmpty(); Connection other = Servers.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("INSERT INTO kinds (id) VALUES (1)");
            Savepoint savepoint = connection.setSavepoint("half");
            statement.executeUpdate("INSERT INTO kinds (id) VALUES (2)");
            connection.rollback(savepoint);
            assertThat(count(other, "true")).isZero();
            connection.commit();
            assertThat(count(other, "true")).isEqualTo(1);
            statement.executeUpdate("INSERT INTO kinds (id) VALUES (3)");
            connection.rollback();
            assertThat(count(connection, "true")).isEqualTo(1);
        }
    }

    @Test
    void shouldStreamAnAnswerByItsFetchSize() throws SQLException {
        try (Connection connection = Servers.connectToEmpty(); Statement statement = connection.createStatement()) {
            fill(connection, 5000);
            connection.setAutoCommit(false);
            statement.setFetchSize(70);
            List<Integer> seen = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery("SELECT id FROM kinds ORDER BY id")) {
                while (rows.next()) {
                    seen.add(rows.getInt(1));
                }
            }
            assertThat(seen).hasSize(5000).isSorted();
            connection.commit();
        }
    }

    @Test
    void shouldCancelWhatAnotherThreadExecutes() throws Exception {
        try (Connection connection = Servers.connect(); Statement statement = connection.createStatement()) {
            CompletableFuture<SQLException> failed = CompletableFuture.supplyAsync(() -> catchThrowableOfType(
                    SQLException.class, () -> statement.executeQuery(ENDLESS)));
            while (!failed.isDone()) {
                TimeUnit.MILLISECONDS.sleep(200);
                statement.cancel();
            }
            assertThat(failed.get(30, TimeUnit.SECONDS).getSQLState()).isEqualTo("57014");
            assertThat(count(connection, "id = -1")).isZero();
        }
    }

    @Test
    void shouldEndAStatementAtItsTimeout() throws SQLException {
        try (Connection connection = Servers.connect(); Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            SQLException failed = catchThrowableOfType(SQLException.class,
                    () -> statement.executeQuery(ENDLESS));
            assertThat(failed.getSQLState()).isEqualTo("57014");
        }
    }

    @Test
    void shouldDescribeColumnsOfTheTable() throws SQLException {
        try (Connection connection = Servers.connect();
                PreparedStatement select = connection.prepareStatement("SELECT id, price AS cost, name FROM kinds")) {
            connection.createStatement().executeQuery("SELECT 'kinds'::regclass");  // The catalogue runs now.
            ResultSetMetaData columns = select.getMetaData();
            assertThat(columns.getColumnCount()).isEqualTo(3);
            assertThat(columns.getColumnName(2)).isEqualTo("cost");
            assertThat(columns.getTableName(1)).isEqualTo("kinds");
            assertThat(columns.getPrecision(2)).isEqualTo(12);
            assertThat(columns.getScale(2)).isEqualTo(3);
            assertThat(columns.getColumnDisplaySize(3)).isEqualTo(40);
            assertThat(columns.isNullable(1)).isEqualTo(ResultSetMetaData.columnNoNulls);
            assertThat(columns.isNullable(2)).isEqualTo(ResultSetMetaData.columnNullable);
        }
    }

    @Test
    void shouldCopyInAndOut() throws Exception {
        try (Connection connection = Servers.connectToEmpty()) {
            CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
            String in = "COPY kinds (id, name) FROM STDIN (FORMAT csv)";
            assertThat(copies.copyIn(in, new StringReader("1,a\n2,\"b,c\"\n"))).isEqualTo(2);
            StringWriter out = new StringWriter();
            assertThat(copies.copyOut("COPY (SELECT id, name FROM kinds ORDER BY id) TO STDOUT (FORMAT csv)", out))
                    .isEqualTo(2);
            assertThat(out).hasToString("1,a\n2,\"b,c\"\n");
        }
    }

    @Test
    void shouldSayWhatIsWrongAndWhere() throws SQLException {
        try (Connection connection = Servers.connect(); Statement statement = connection.createStatement()) {
            SQLException failed =
                    catchThrowableOfType(SQLException.class, () -> statement.executeQuery("SELECT nothing FROM kinds"));
            assertThat(failed.getSQLState()).isEqualTo("42703");
            assertThat(failed.getMessage()).contains("\"nothing\"", "Position: 8");
            assertThat(connection.isValid(5)).isTrue();
        }
    }
}
