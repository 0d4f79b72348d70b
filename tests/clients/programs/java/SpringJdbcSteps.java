import java.util.List;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** spring-jdbc over pgjdbc: templates, SimpleJdbcInsert, and its transaction manager. */
public final class SpringJdbcSteps {
    private static final DriverManagerDataSource SOURCE = new DriverManagerDataSource(Steps.url(), Steps.user(), null);
    private static final JdbcTemplate TEMPLATE = new JdbcTemplate(SOURCE);
    private static final TransactionTemplate BLOCK = new TransactionTemplate(new DataSourceTransactionManager(SOURCE));

    private SpringJdbcSteps() {}

    public static void main(String[] arguments) {
        Steps.take("connects", () -> one("SELECT 1"));
        Steps.take("looks up (query)", () -> TEMPLATE.query(
            "SELECT id, price FROM kinds WHERE name = ? AND big > ? AND id <= 200 ORDER BY id",
            (row, at) -> List.of(row.getInt(1), row.getBigDecimal(2)), "n3", 900L));
        Steps.take("looks up a list (named parameters)", () -> new NamedParameterJdbcTemplate(TEMPLATE).queryForList(
            "SELECT name FROM kinds WHERE id IN (:ids) ORDER BY id",
            new MapSqlParameterSource("ids", List.of(1, 2, 3)), String.class));
        Steps.take("counts (queryForObject)", () -> one("SELECT count(*) FROM kinds WHERE id <= 200"));
        Steps.take("inserts (SimpleJdbcInsert, which reads the metadata)", () -> new SimpleJdbcInsert(SOURCE)
            .withTableName("kinds").usingColumns("id", "name").execute(new MapSqlParameterSource("id", 1000).addValue("name", "it's")));
        Steps.take("inserts many (batchUpdate)", () -> TEMPLATE.batchUpdate("INSERT INTO kinds (id, big) VALUES (?, ?)",
            IntStream.range(0, 20).mapToObj(at -> new Object[] {1100 + at, (long) at}).toList()).length);
        Steps.take("updates (update)", () -> {
            insert(1200);
            return TEMPLATE.update("UPDATE kinds SET name = ? WHERE id = ?", "after", 1200);
        });
        Steps.take("updates in a block (TransactionTemplate)", () -> {
            insert(1270);
            return BLOCK.execute(status -> TEMPLATE.update("UPDATE kinds SET name = ? WHERE id = ?", "after", 1270));
        });
        Steps.take("deletes (update)", () -> {
            insert(1300);
            return TEMPLATE.update("DELETE FROM kinds WHERE id = ?", 1300);
        });
        Steps.take("commits (TransactionTemplate)", () -> {
            BLOCK.executeWithoutResult(status -> {
                insert(1400);
                insert(1401);
            });
            return one("SELECT count(*) FROM kinds WHERE id IN (1400, 1401)");
        });
        Steps.take("rolls back (setRollbackOnly)", () -> {
            BLOCK.executeWithoutResult(status -> {
                insert(1500);
                status.setRollbackOnly();
            });
            return one("SELECT count(*) FROM kinds WHERE id = 1500");
        });
    }

    private static void insert(int id) {
        TEMPLATE.update("INSERT INTO kinds (id, name) VALUES (?, ?)", id, "before");
    }

    private static Long one(String sql) {
        return TEMPLATE.queryForObject(sql, Long.class);
    }
}
