import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;

/** jOOQ over pgjdbc: its query builder, its transactions, and what its code generator asks of the catalogue. */
public final class JooqSteps {
    private static final Table<Record> KINDS = table(name("kinds"));
    private static final Field<Integer> ID = field(name("kinds", "id"), Integer.class);
    private static final Field<Long> BIG = field(name("kinds", "big"), Long.class);
    private static final Field<BigDecimal> PRICE = field(name("kinds", "price"), BigDecimal.class);
    private static final Field<String> NAME = field(name("kinds", "name"), String.class);
    private static DSLContext db;

    private JooqSteps() {}

    public static void main(String[] arguments) throws SQLException {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
        try (Connection connection = DriverManager.getConnection(Steps.url(), Steps.user(), null)) {
            db = DSL.using(connection, SQLDialect.POSTGRES);
            read();
            write();
        }
    }

    private static void read() {
        Steps.take("connects", () -> rows(db.selectOne().fetch()));
        Steps.take("reads the catalogue (meta)", () -> db.meta().getTables("kinds").stream()
            .flatMap(table -> table.fieldStream()).map(field -> field.getName() + " " + field.getDataType()).toList());
        Steps.take("looks up (where)", () -> rows(db.select(ID, PRICE).from(KINDS)
            .where(NAME.in("n3", "n5")).and(BIG.gt(900L)).and(ID.le(200)).orderBy(ID.desc()).fetch()));
        Steps.take("looks up by key (fetchOne)", () -> db.select(NAME).from(KINDS).where(ID.eq(7)).fetchOne(NAME));
        Steps.take("counts (fetchCount)", () -> db.fetchCount(KINDS, ID.le(200)));
        Steps.take("counts the rows of a query (fetchCount)", () -> db.fetchCount(db.selectDistinct(NAME).from(KINDS).where(ID.le(200))));
        Steps.take("asks whether there is one (fetchExists)", () -> db.fetchExists(KINDS, NAME.eq("n3")));
        Steps.take("selects an EXISTS", () -> rows(db.select(field(exists(selectOne().from(KINDS).where(NAME.eq("n3"))))).fetch()));
        Steps.take("groups (groupBy)", () -> rows(db.select(NAME, count(), sum(BIG)).from(KINDS)
            .where(ID.le(200)).groupBy(NAME).orderBy(NAME).fetch()));
        Steps.take("reads pages (limit, offset)", () -> rows(db.select(ID).from(KINDS).where(ID.le(200)).orderBy(ID).limit(9).offset(60).fetch()));
        Steps.take("reads pages by key (seek)", () -> rows(db.select(ID).from(KINDS).where(ID.le(200)).orderBy(ID).seek(60).limit(9).fetch()));
        Steps.take("reads in portions (fetchLazy)", () -> {
            int total = 0;
            try (var cursor = db.select(ID).from(KINDS).where(ID.le(200)).fetchSize(50).fetchLazy()) {
                for (var row : cursor) {
                    total += row.value1();
                }
            }
            return total;
        });
    }

    private static void write() {
        Steps.take("inserts (returning)", () -> db.insertInto(KINDS, ID, NAME).values(1000, "it's").returningResult(NAME).fetchOne(NAME));
        Steps.take("inserts many (values)", () -> db.insertInto(KINDS, ID, BIG).values(1100, 1L).values(1101, 2L).execute());
        Steps.take("inserts many (batch)", () -> db.batch(db.insertInto(KINDS, ID, BIG).values((Integer) null, null))
            .bind(1110, 1L).bind(1111, 2L).execute().length);
        Steps.take("updates (update)", () -> {
            insert(1200);
            return db.update(KINDS).set(NAME, "after").where(ID.eq(1200)).execute();
        });
        Steps.take("updates in a block (transaction)", () -> {
            insert(1270);
            return db.transactionResult(block -> block.dsl().update(KINDS).set(NAME, "after").where(ID.eq(1270)).execute());
        });
        Steps.take("updates (returning)", () -> {
            insert(1210);
            return db.update(KINDS).set(NAME, "after").where(ID.eq(1210)).returningResult(NAME).fetchOne(NAME);
        });
        Steps.take("deletes (deleteFrom)", () -> {
            insert(1300);
            return db.deleteFrom(KINDS).where(ID.eq(1300)).execute();
        });
        Steps.take("inserts or updates (onConflict)", () ->
            db.insertInto(KINDS, ID, BIG).values(1720, 1L).onConflict(ID).doUpdate().set(BIG, 2L).execute());
        Steps.take("inserts what is not there (onDuplicateKeyIgnore)", () ->
            db.insertInto(KINDS, ID, BIG).values(1730, 1L).onConflictDoNothing().execute());
        Steps.take("merges (mergeInto)", () -> db.mergeInto(KINDS).using(selectOne()).on(ID.eq(1740))
            .whenNotMatchedThenInsert(ID).values(1740).execute());
        Steps.take("commits (transaction)", () -> {
            db.transaction(block -> {
                block.dsl().insertInto(KINDS, ID).values(1400).execute();
                block.dsl().insertInto(KINDS, ID).values(1401).execute();
            });
            return db.fetchCount(KINDS, ID.between(1400, 1401));
        });
        Steps.take("nests blocks (transaction in transaction)", () -> {
            db.transaction(block -> block.dsl().transaction(inner -> inner.dsl().insertInto(KINDS, ID).values(1601).execute()));
            return db.fetchCount(KINDS, ID.eq(1601));
        });
        Steps.take("rolls back (transaction)", () -> {
            try {
                db.transaction(block -> {
                    block.dsl().insertInto(KINDS, ID).values(1500).execute();
                    throw new IllegalStateException("rolled back");
                });
            } catch (IllegalStateException expected) {
                return db.fetchCount(KINDS, ID.eq(1500));
            }
            return null;
        });
    }

    private static void insert(int id) {
        db.insertInto(KINDS, ID, NAME).values(id, "before").execute();
    }

    private static List<List<Object>> rows(Result<? extends Record> found) {
        return found.stream().map(row -> List.of(row.intoArray())).toList();
    }
}
