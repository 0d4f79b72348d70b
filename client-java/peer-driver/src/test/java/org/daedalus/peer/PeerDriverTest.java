package org.daedalus.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.Test;

class PeerDriverTest {
    @Test
    void shouldPutAQuestionMarkForEachPlaceholderAndBindInTheirOrder() throws SQLException {
        SqlStatement statement = new SqlStatement("SELECT a FROM t WHERE a = $1 AND b BETWEEN $2 AND $10",
                List.of(1, "two", 3L));
        assertThat(PlaceholderText.of(statement)).isEqualTo("SELECT a FROM t WHERE a = ? AND b BETWEEN ? AND ?");
        List<Object> bound = new ArrayList<>();
        PlaceholderText.bind(statement, recorder(bound));
        assertThat(bound).containsExactly(1, 1, 2, "two", 3, 3L);
    }

    @Test
    void shouldCountWhatEndsWhileItMeasuresAndErrorsAlways() {
        Window window = new Window(1_000_000_000L, 3_000_000_000L);
        window.answered(999_999_999L, 1);
        window.answered(1_000_000_000L, 2);
        window.answered(2_999_999_999L, 3);
        window.answered(3_000_000_000L, 4);
        window.failed(new SQLException("no"));
        assertThat(window.answered()).isEqualTo(2);
        assertThat(window.rows()).isEqualTo(5);
        assertThat(window.perSecond()).isEqualTo(1);
        assertThat(window.errors()).isEqualTo(1);
        assertThat(window.lastError()).contains("no");
        assertThat(window.isOver(2_999_999_999L)).isFalse();
        assertThat(window.isOver(3_000_000_000L)).isTrue();
    }

    private static PreparedStatement recorder(List<Object> bound) {
        return (PreparedStatement) Proxy.newProxyInstance(PeerDriverTest.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class}, (self, method, arguments) -> {
                    if (method.getName().equals("setObject")) {
                        bound.addAll(List.of(arguments));
                    }
                    return null;
                });
    }
}
