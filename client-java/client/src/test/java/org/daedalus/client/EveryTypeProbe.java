package org.daedalus.client;

import static org.daedalus.client.Condition.and;
import static org.daedalus.client.Condition.between;
import static org.daedalus.client.Condition.eq;
import static org.daedalus.client.Condition.ge;
import static org.daedalus.client.Condition.gt;
import static org.daedalus.client.Condition.in;
import static org.daedalus.client.Condition.isNotNull;
import static org.daedalus.client.Condition.isNull;
import static org.daedalus.client.Condition.le;
import static org.daedalus.client.Condition.lt;
import static org.daedalus.client.Condition.ne;
import static org.daedalus.client.Condition.not;
import static org.daedalus.client.Condition.or;
import static org.daedalus.client.Condition.startsWith;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.daedalus.wire.Interval;

/**
 * Every type as a parameter and as a result, and every condition of the builder, against a real cluster with the table
 * of schemas/every_type.sql.
 *
 * <p>Arguments: aggregators (commas between them).
 */
public final class EveryTypeProbe {
    /** One value for each column that has an edge worth trying, in its natural class. */
    private static final Map<String, List<Object>> VALUES = new LinkedHashMap<>();

    static {
        VALUES.put("b", List.of(true, false));
        VALUES.put("i2", List.of(Short.MIN_VALUE, Short.MAX_VALUE));
        VALUES.put("i4", List.of(Integer.MIN_VALUE, Integer.MAX_VALUE));
        VALUES.put("i8", List.of(Long.MIN_VALUE, Long.MAX_VALUE));
        VALUES.put("f4", List.of(-1.5f, Float.MAX_VALUE));
        VALUES.put("f8", List.of(0.1, Double.MIN_VALUE));
        VALUES.put("n9_2", List.of(new BigDecimal("-1234567.89"), new BigDecimal("0.01")));
        VALUES.put("n18_0", List.of(new BigDecimal("999999999999999999"), new BigDecimal("-1")));
        VALUES.put("n38_10", List.of(new BigDecimal("9999999999999999999999999999.0123456789"),
                new BigDecimal("-0.0000000001")));
        VALUES.put("d", List.of(LocalDate.of(1, 1, 1), LocalDate.of(2024, 2, 29)));
        VALUES.put("ts", List.of(LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000),
                LocalDateTime.of(2024, 2, 29, 12, 0)));
        VALUES.put("tstz",
                List.of(Instant.parse("1969-12-31T23:59:59.999999Z"), Instant.parse("2024-02-29T12:00:00Z")));
        VALUES.put("tod", List.of(LocalTime.MAX, LocalTime.of(23, 59, 59, 999_999_000)));
        VALUES.put("tag", List.of(new UUID(-1, -1), UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")));
        VALUES.put("c5", List.of("Größe".substring(0, 3) + " ", "abcde"));
        VALUES.put("v20", List.of("", "50%_\\ 'quoted' ✈"));
    }

    private final DaedalusClient client;

    private EveryTypeProbe(DaedalusClient client) {
        this.client = client;
    }

    public static void main(String[] arguments) {
        try (DaedalusClient client = DaedalusClient.builder().aggregators(arguments[0].split(",")).build()) {
            EveryTypeProbe probe = new EveryTypeProbe(client);
            probe.goIn();
            probe.comeOut();
            probe.compareEqual();
            probe.everyCondition();
            probe.arrays();
            probe.intervals();
            System.out.println("every type is what it was");
        }
    }

    /** A column is compared with all values that it has, and with nothing. */
    private void arrays() {
        for (Map.Entry<String, List<Object>> column : VALUES.entrySet()) {
            String any = "SELECT count(*) FROM every_type WHERE " + column.getKey() + " = ANY($1)";
            check(client.await(client.query(any, column.getValue())).toList().get(0).getLong(0), 2L, any);
            check(client.await(client.query(any, new Object[] {column.getValue().subList(1, 2).toArray()})).toList()
                    .get(0).getLong(0), 1L, any);
        }
        check(client.await(client.query("SELECT id FROM every_type WHERE id <> ALL($1)", List.of(1, 3))).toList()
                .get(0).getLong(0), 2L, "<> ALL");
    }

    private static void check(Object actual, Object expected, String what) {
        if (!Objects.equals(actual, expected)) {
            throw new AssertionError(what + ": " + actual + " instead of " + expected);
        }
    }

    /** Row 1 and 2 have values, row 3 has NULL in every column that may. */
    private void goIn() {
        String[] columns = VALUES.keySet().toArray(String[]::new);
        String[] all = new String[columns.length + 1];
        all[0] = "id";
        System.arraycopy(columns, 0, all, 1, columns.length);
        Insert insert = client.insertInto(all);
        for (int row = 0; row < 3; row++) {
            Object[] values = new Object[all.length];
            values[0] = row + 1L;
            for (int column = 0; row < 2 && column < columns.length; column++) {
                values[column + 1] = VALUES.get(columns[column]).get(row);
            }
            insert.values(values);
        }
        check(insert.execute().applied(), 3L, "rows inserted");
    }

    private void comeOut() {
        List<Row> rows = client.select().orderBy("id").execute().toList();
        for (int row = 0; row < 3; row++) {
            for (Map.Entry<String, List<Object>> column : VALUES.entrySet()) {
                Object expected = row == 2 ? null : column.getValue().get(row);
                if (column.getKey().equals("c5") && expected != null) {
                    expected = row == 0 ? "Grö " : "abcde"; // char(5) comes back padded to five bytes.
                }
                check(rows.get(row).getObject(column.getKey()), expected, "row " + row + " " + column.getKey());
            }
            check(rows.get(row).isNull("v20"), row == 2, "isNull");
            check(rows.get(row).getLong("id"), row + 1L, "id");
        }
        Row first = rows.get(0);
        check(first.getBoolean("b"), true, "getBoolean");
        check(first.getShort("i2"), Short.MIN_VALUE, "getShort");
        check(first.getInt("i4"), Integer.MIN_VALUE, "getInt");
        check(first.getLong("i8"), Long.MIN_VALUE, "getLong");
        check(first.getFloat("f4"), -1.5f, "getFloat");
        check(first.getDouble("f8"), 0.1, "getDouble");
        check(first.getBigDecimal("n9_2"), new BigDecimal("-1234567.89"), "getBigDecimal");
        check(first.getDate("d"), LocalDate.of(1, 1, 1), "getDate");
        check(first.getTimestamp("ts"), VALUES.get("ts").get(0), "getTimestamp");
        check(first.getInstant("tstz"), VALUES.get("tstz").get(0), "getInstant");
        check(first.getTime("tod"), LocalTime.MAX, "getTime");
        check(first.getText("tod"), "24:00:00", "getText of a time");
        check(first.getUuid("tag"), new UUID(-1, -1), "getUuid");
        check(first.getString("v20"), "", "getString");
        check(rows.get(2).get("i4", Integer.class), null, "get of NULL");
    }

    /** Every value finds its own row when it is a parameter of SQL text and of the builder. */
    private void compareEqual() {
        VALUES.forEach((column, values) -> {
            for (int row = 0; row < values.size(); row++) {
                Object value = values.get(row);
                long id = row + 1L;
                check(ids(client.select("id").where(eq(column, value))), List.of(id), column + " = " + value);
                List<Row> found = client.await(client.query(
                        "SELECT id FROM every_type WHERE " + column + " = $1", value)).toList();
                check(found.get(0).getLong("id"), id, "SQL " + column + " = " + value);
                check(client.update().set(column, value).where(eq("id", id)).execute().applied(), 1L, "set " + column);
            }
        });
        check(client.update().add("i2", 1).where(eq("id", 1)).execute().applied(), 1L, "add");
        check(client.update().add("i2", -1).where(eq("id", 1)).execute().applied(), 1L, "subtract");
    }

    private void everyCondition() {
        check(ids(select(eq("id", 2))), List.of(2L), "eq");
        check(ids(select(ne("id", 2))), List.of(1L, 3L), "ne");
        check(ids(select(lt("id", 2))), List.of(1L), "lt");
        check(ids(select(le("id", 2))), List.of(1L, 2L), "le");
        check(ids(select(gt("id", 2))), List.of(3L), "gt");
        check(ids(select(ge("id", 2))), List.of(2L, 3L), "ge");
        check(ids(select(between("id", 2, 3))), List.of(2L, 3L), "between");
        check(ids(select(not(between("id", 2, 3)))), List.of(1L), "not between");
        check(ids(select(in("id", 1, 3))), List.of(1L, 3L), "in");
        check(ids(select(in("id", 1, null))), List.of(1L), "in with NULL");
        check(ids(select(not(in("id", 1, 3)))), List.of(2L), "not in");
        check(ids(select(startsWith("v20", "50%_\\"))), List.of(2L), "startsWith");
        check(ids(select(not(startsWith("v20", "50")))), List.of(1L), "not startsWith, unknown for NULL");
        check(ids(select(isNull("v20"))), List.of(3L), "isNull");
        check(ids(select(isNotNull("v20"))), List.of(1L, 2L), "isNotNull");
        check(ids(select(eq("v20", null))), List.of(), "nothing equals NULL");
        check(ids(select(or(eq("id", 1), and(isNull("d"), gt("id", 1))))), List.of(1L, 3L), "or, and");
    }

    /** No column is one: they are computed. */
    private void intervals() {
        Interval day = new Interval(1, 1, 1_500_000L);
        Row row = client.await(client.query("SELECT ts - (ts - $1) AS span, $1 * 2 AS twice, $1::text AS text, "
                + "d + $1 = d + INTERVAL '1 mon 1 day 1.5 s' AS same FROM every_type WHERE id = 2", day)).toList()
                .get(0);
        check(row.getInterval("span"), new Interval(0, 32, 1_500_000L), "ts - (ts - $1)");
        check(row.getInterval("twice"), new Interval(2, 2, 3_000_000L), "$1 * 2");
        check(row.getString("text"), day.toString(), "$1::text");
        check(row.getBoolean("same"), true, "d + $1");
    }

    private Select select(Condition condition) {
        return client.select("id").where(condition);
    }

    private static List<Long> ids(Select select) {
        return select.orderBy("id").execute().toList().stream().map(row -> row.getLong("id"))
                .collect(Collectors.toList());
    }
}
