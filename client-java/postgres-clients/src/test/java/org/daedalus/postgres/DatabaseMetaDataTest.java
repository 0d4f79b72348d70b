package org.daedalus.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** All that JDBC lets one ask of a database, asked of an aggregator and of a PostgreSQL with the same table. */
@EnabledIfSystemProperty(named = Servers.DAEDALUS, matches = ".+")
@EnabledIfSystemProperty(named = Servers.POSTGRES, matches = ".+")
class DatabaseMetaDataTest {
    /** These say which server it is, and which release: they differ, and have to. */
    private static final Set<String> OWN = Set.of("getConnection", "getURL", "getUserName", "getDatabaseProductVersion",
            "getDatabaseMinorVersion", "getCatalogs", "unwrap", "isWrapperFor");

    /** Methods that take names get these; all others get nothing. */
    private static final Map<String, Object[]> NAMED = Map.ofEntries(
            Map.entry("getTables", new Object[] {null, null, "kin%", null}),
            Map.entry("getColumns", new Object[] {null, null, "kinds", null}),
            Map.entry("getPrimaryKeys", new Object[] {null, null, "kinds"}),
            Map.entry("getImportedKeys", new Object[] {null, null, "kinds"}),
            Map.entry("getExportedKeys", new Object[] {null, null, "kinds"}),
            Map.entry("getCrossReference", new Object[] {null, null, "kinds", null, null, "kinds"}),
            Map.entry("getIndexInfo", new Object[] {null, null, "kinds", false, true}),
            Map.entry("getBestRowIdentifier", new Object[] {null, null, "kinds", 2, true}),
            Map.entry("getVersionColumns", new Object[] {null, null, "kinds"}),
            Map.entry("getTablePrivileges", new Object[] {null, null, "kinds"}),
            Map.entry("getColumnPrivileges", new Object[] {null, null, "kinds", null}),
            Map.entry("getProcedures", new Object[] {null, null, "abs"}),
            Map.entry("getProcedureColumns", new Object[] {null, null, "abs", null}),
            Map.entry("getFunctions", new Object[] {null, null, "ab%"}),
            Map.entry("getFunctionColumns", new Object[] {null, null, "abs", null}));

    private static Object nothing(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? (Object) 0 : null;
    }

    private static Object[] argumentsOf(Method method) {
        Object[] named = NAMED.get(method.getName());
        if (named != null && named.length == method.getParameterCount()) {
            return named;
        }
        return Arrays.stream(method.getParameterTypes()).map(DatabaseMetaDataTest::nothing).toArray();
    }

    private static String rowsOf(ResultSet rows) throws SQLException {
        StringJoiner all = new StringJoiner("\n");
        int columns = rows.getMetaData().getColumnCount();
        StringJoiner names = new StringJoiner("|");
        for (int column = 1; column <= columns; ++column) {
            names.add(rows.getMetaData().getColumnLabel(column) + " " + rows.getMetaData().getColumnTypeName(column));
        }
        all.add(names.toString());
        while (rows.next()) {
            StringJoiner row = new StringJoiner("|");
            for (int column = 1; column <= columns; ++column) {
                row.add(String.valueOf(rows.getString(column)));
            }
            all.add(row.toString());
        }
        return all.toString();
    }

    private static String said(DatabaseMetaData of, Method method) throws IllegalAccessException, SQLException {
        try {
            Object said = method.invoke(of, argumentsOf(method));
            if (said instanceof ResultSet rows) {
                try (rows) {
                    return rowsOf(rows);
                }
            }
            return String.valueOf(said);
        } catch (InvocationTargetException failed) {
            return "failed: " + failed.getCause();
        }
    }

    private static Map<String, String> everything(DatabaseMetaData of) throws IllegalAccessException, SQLException {
        Map<String, String> all = new TreeMap<>();
        List<Method> methods =
                Arrays.stream(DatabaseMetaData.class.getMethods()).filter(method -> !OWN.contains(method.getName()))
                        .sorted(Comparator.comparing(Method::toString)).toList();
        for (Method method : methods) {
            all.put(method.toString(), said(of, method));
        }
        return all;
    }

    @Test
    void shouldSayWhatPostgreSqlSaysToEveryQuestion() throws Exception {
        try (Connection ours = Servers.connect(); Connection theirs = Servers.connectToPostgres()) {
            Map<String, String> expected = everything(theirs.getMetaData());
            Map<String, String> found = everything(ours.getMetaData());
            assertThat(found).hasSizeGreaterThan(150);
            expected.forEach((question, answer) -> assertThat(found.get(question)).as(question).isEqualTo(answer));
            assertThat(ours.getMetaData().getDatabaseMajorVersion()).isEqualTo(15);
            try (ResultSet databases = ours.getMetaData().getCatalogs()) {
                assertThat(rowsOf(databases)).isEqualTo("TABLE_CAT name\nkinds\npostgres");
            }
            assertThat(ours.getMetaData().getUserName()).isEqualTo("ada");
        }
    }
}
