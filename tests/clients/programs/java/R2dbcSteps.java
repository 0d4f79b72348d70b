import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.postgresql.api.PostgresqlConnection;
import io.r2dbc.postgresql.api.PostgresqlStatement;
import io.r2dbc.spi.R2dbcException;
import java.sql.SQLException;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** r2dbc-postgresql: statements with parameters, fetch sizes, batches and blocks, each waited for. */
public final class R2dbcSteps {
    private static PostgresqlConnection connection;

    private R2dbcSteps() {}

    public static void main(String[] arguments) {
        Steps.take("connects (create)", () -> {
            var configuration = PostgresqlConnectionConfiguration.builder().host(System.getenv("PGHOST"))
                .port(Integer.parseInt(System.getenv("PGPORT"))).username(Steps.user()).database(System.getenv("PGDATABASE"));
            connection = new PostgresqlConnectionFactory(configuration.build()).create().block();
            return true;
        });
        Steps.take("looks up (bind)", () -> rows(statement(
            "SELECT id, name FROM kinds WHERE name = $1 AND big > $2 AND id <= 200 ORDER BY id").bind("$1", "n3").bind("$2", 900L)));
        Steps.take("looks up a list (= ANY)", () -> rows(statement(
            "SELECT id, name FROM kinds WHERE id = ANY ($1) ORDER BY id").bind("$1", new Integer[] {1, 2, 3})));
        Steps.take("reads in portions (fetchSize)", () -> rows(statement(
            "SELECT id, name FROM kinds WHERE id <= $1 ORDER BY id").bind("$1", 200).fetchSize(50)).size());
        Steps.take("inserts (returnGeneratedValues)", () -> rows(statement(
            "INSERT INTO kinds (id, name) VALUES ($1, $2)").bind("$1", 1000).bind("$2", "it's").returnGeneratedValues("id", "name")));
        Steps.take("inserts many (add)", () -> {
            var insert = statement("INSERT INTO kinds (id, big) VALUES ($1, $2)");
            for (int at = 0; at < 20; at++) {
                insert = (at == 0 ? insert : insert.add()).bind("$1", 1100 + at).bind("$2", (long) at);
            }
            return changed(insert);
        });
        Steps.take("updates", () -> {
            insert(1200);
            return changed(statement("UPDATE kinds SET name = $1 WHERE id = $2").bind("$1", "after").bind("$2", 1200));
        });
        Steps.take("updates in a block (beginTransaction)", () -> {
            insert(1270);
            return inBlock(connection.commitTransaction(), () ->
                changed(statement("UPDATE kinds SET name = $1 WHERE id = $2").bind("$1", "after").bind("$2", 1270)));
        });
        Steps.take("deletes", () -> {
            insert(1300);
            return changed(statement("DELETE FROM kinds WHERE id = $1").bind("$1", 1300));
        });
        Steps.take("commits (commitTransaction)", () -> {
            inBlock(connection.commitTransaction(), () -> insert(1400));
            return rows(statement("SELECT id, name FROM kinds WHERE id = 1400"));
        });
        Steps.take("rolls back (rollbackTransaction)", () -> {
            inBlock(connection.rollbackTransaction(), () -> insert(1500));
            return rows(statement("SELECT id, name FROM kinds WHERE id = 1500"));
        });
    }

    private static Long inBlock(Mono<Void> end, java.util.concurrent.Callable<Long> work) throws Exception {
        connection.beginTransaction().block();
        try {
            Long answer = work.call();
            end.block();
            return answer;
        } catch (SQLException refused) {
            connection.rollbackTransaction().block();
            throw refused;
        }
    }

    private static Long insert(int id) throws SQLException {
        return changed(statement("INSERT INTO kinds (id, name) VALUES ($1, 'before')").bind("$1", id));
    }

    private static PostgresqlStatement statement(String sql) {
        return connection.createStatement(sql);
    }

    private static List<List<Object>> rows(PostgresqlStatement statement) throws SQLException {
        return told(Flux.from(statement.execute()).flatMap(result ->
            result.map((row, metadata) -> List.of(row.get("id"), row.get("name")))).collectList());
    }

    private static Long changed(PostgresqlStatement statement) throws SQLException {
        return told(Flux.from(statement.execute()).concatMap(result -> result.getRowsUpdated()).reduce(0L, Long::sum));
    }

    /** Its errors are not JDBC's, which Steps knows. */
    private static <T> T told(Mono<T> answer) throws SQLException {
        try {
            return answer.block();
        } catch (R2dbcException error) {
            throw new SQLException(error.getMessage(), error.getSqlState());
        }
    }
}
