package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.Interval;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RowTest {
    private static final List<ColumnType> TYPES = List.of(ColumnType.of(Kind.BOOL), ColumnType.of(Kind.SMALLINT),
            ColumnType.of(Kind.INT), ColumnType.of(Kind.BIGINT), ColumnType.of(Kind.REAL), ColumnType.of(Kind.DOUBLE),
            ColumnType.numericOf(9, 2), ColumnType.of(Kind.DATE), ColumnType.of(Kind.TIMESTAMP), ColumnType.charOf(3),
            ColumnType.varcharOf(20), ColumnType.of(Kind.INTERVAL), ColumnType.of(Kind.TIME), ColumnType.of(Kind.UUID));
    private static final Object[] VALUES = {true, (short) 2, 3, 4L, 5.5f, 6.5, new BigDecimal("7.25"),
        LocalDate.of(2024, 2, 29), LocalDateTime.of(2024, 2, 29, 12, 0), "abc", "text",
        new Interval(14, -3, 0), LocalTime.of(4, 5, 6), new UUID(1, 2)};
    /** Every getter, and the class of values it gives. */
    private static final Map<Class<?>, BiFunction<Row, Integer, Object>> GETTERS = Map.ofEntries(
            Map.entry(Boolean.class, Row::getBoolean), Map.entry(Short.class, Row::getShort),
            Map.entry(Integer.class, Row::getInt), Map.entry(Long.class, Row::getLong),
            Map.entry(Float.class, Row::getFloat), Map.entry(Double.class, Row::getDouble),
            Map.entry(BigDecimal.class, Row::getBigDecimal), Map.entry(LocalDate.class, Row::getDate),
            Map.entry(LocalDateTime.class, Row::getTimestamp), Map.entry(String.class, Row::getString),
            Map.entry(Interval.class, Row::getInterval), Map.entry(LocalTime.class, Row::getTime),
            Map.entry(UUID.class, Row::getUuid));
    private static final Map<Class<?>, List<Class<?>>> WIDER = Map.of(
            Short.class, List.of(Integer.class, Long.class, BigDecimal.class, Double.class),
            Integer.class, List.of(Long.class, BigDecimal.class, Double.class), Long.class, List.of(BigDecimal.class),
            Float.class, List.of(Double.class));

    private ResultColumns columns;
    private Row row;
    private Row nulls;

    @BeforeEach
    void makeRows() throws Exception {
        List<Column> made = java.util.stream.IntStream.range(0, TYPES.size())
                .mapToObj(i -> Column.newBuilder().setName("c" + i).setType(WireTypes.toMessage(TYPES.get(i))).build())
                .toList();
        columns = new ResultColumns(made);
        row = new Row(columns, VALUES);
        nulls = new Row(columns, new Object[VALUES.length]);
    }

    @Test
    void shouldGiveEveryTypeByItsGetterAndRefuseAllOthersByName() {
        for (int column = 0; column < VALUES.length; column++) {
            int at = column;
            Class<?> natural = VALUES[at].getClass();
            GETTERS.forEach((type, getter) -> {
                if (type == natural) {
                    assertThat(getter.apply(row, at)).isEqualTo(VALUES[at]);
                } else if (WIDER.getOrDefault(natural, List.of()).contains(type)) {
                    assertThat(((Number) getter.apply(row, at)).doubleValue())
                            .isEqualTo(((Number) VALUES[at]).doubleValue());
                } else {
                    assertThatThrownBy(() -> getter.apply(row, at)).isInstanceOf(ClassCastException.class)
                            .hasMessageContaining("\"c" + at + "\"").hasMessageContaining(TYPES.get(at).toString())
                            .hasMessageContaining(type.getSimpleName());
                }
            });
        }
    }

    @Test
    void shouldGiveNullForNullAndRefuseItWhereAPrimitiveIsAskedFor() {
        for (int column = 0; column < VALUES.length; column++) {
            int at = column;
            assertThat(nulls.isNull(at)).isTrue();
            assertThat(nulls.isNull("c" + at)).isTrue();
            assertThat(row.isNull(at)).isFalse();
            assertThat(nulls.getObject(at)).isNull();
            assertThat((Object) nulls.get(at, VALUES[at].getClass())).isNull();
            assertThat(nulls.getText("c" + at)).isNull();
        }
        for (Class<?> type : List.of(
                Boolean.class, Short.class, Integer.class, Long.class, Float.class, Double.class)) {
            assertThatThrownBy(() -> GETTERS.get(type).apply(nulls, 2)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("\"c2\"").hasMessageContaining("isNull()");
        }
        for (Class<?> type : List.of(BigDecimal.class, LocalDate.class, LocalDateTime.class, String.class,
                Interval.class, LocalTime.class, UUID.class)) {
            assertThat(GETTERS.get(type).apply(nulls, 2)).isNull();
        }
    }

    @Test
    void shouldFindColumnsByNameWithoutRegardToCase() {
        assertThat(row.getBoolean("C0")).isTrue();
        assertThat(row.getShort("c1")).isEqualTo((short) 2);
        assertThat(row.getInt("c2")).isEqualTo(3);
        assertThat(row.getLong("c3")).isEqualTo(4);
        assertThat(row.getFloat("c4")).isEqualTo(5.5f);
        assertThat(row.getDouble("c5")).isEqualTo(6.5);
        assertThat(row.getBigDecimal("c6")).isEqualTo("7.25");
        assertThat(row.getDate("c7")).isEqualTo("2024-02-29");
        assertThat(row.getTimestamp("c8")).isEqualTo("2024-02-29T12:00");
        assertThat(row.getString("c9")).isEqualTo("abc");
        assertThat(row.get("c10", String.class)).isEqualTo("text");
        assertThat(row.getInterval("c11")).isEqualTo(new Interval(14, -3, 0));
        assertThat(row.getText("c6")).isEqualTo("7.25");
        assertThat(row.getText("c11")).isEqualTo("1 year 2 mons -3 days");
        assertThat(row.getText("c12")).isEqualTo("04:05:06");
        assertThat(row.getUuid("c13")).isEqualTo(new UUID(1, 2));
    }

    @Test
    void shouldSayWhichColumnsThereAre() {
        assertThatThrownBy(() -> row.getInt("seat")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"seat\"").hasMessageContaining("c13");
        assertThatThrownBy(() -> row.getInt(14)).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("14 columns");
        assertThatThrownBy(() -> row.isNull(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void shouldNameTheGetterThatFits() {
        assertThatThrownBy(() -> row.getInt("c3")).hasMessageEndingWith("no value of it is a Integer; use getLong()");
        assertThatThrownBy(() -> row.getString("c8"))
                .hasMessageEndingWith("; use getTimestamp(), or getText() for any value as text");
        assertThat(row.getObject("c8", LocalDateTime.class)).isEqualTo(row.getTimestamp("c8"));
        assertThat(row.getObject(2, Integer.class)).isEqualTo(3);
        assertThat(row.getDouble("c2")).isEqualTo(3.0);
    }
}
