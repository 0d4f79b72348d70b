package org.daedalus.client.internal.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.Constants;
import org.daedalus.wire.Interval;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.StatementBody;
import org.junit.jupiter.api.Test;

class ParametersTest {
    private static void becomes(Object value, ColumnType type, Object expected) throws Exception {
        StatementBody body = StatementBody.parseFrom(ParameterBytes.of("before", value, "behind"));
        Constant constant = body.getParameters(1);
        assertThat(WireTypes.read(constant.getType())).as("%s", value).isEqualTo(type);
        assertThat(Constants.toValue(constant)).as("%s", value).isEqualTo(expected);
        assertThat(Constants.toValue(body.getParameters(2))).isEqualTo("behind");
    }

    @Test
    void shouldGiveNumbersAndBooleansTheirTypeAndLeaveTheRestToItsPlace() throws Exception {
        becomes(true, ColumnType.of(Kind.BOOL), true);
        becomes((byte) -1, ColumnType.of(Kind.INT), -1);
        becomes(Short.MIN_VALUE, ColumnType.of(Kind.INT), (int) Short.MIN_VALUE);
        becomes(Integer.MAX_VALUE, ColumnType.of(Kind.INT), Integer.MAX_VALUE);
        becomes(Long.MIN_VALUE, ColumnType.of(Kind.BIGINT), Long.MIN_VALUE);
        becomes(1.5f, ColumnType.of(Kind.REAL), 1.5f);
        becomes(0.1, ColumnType.of(Kind.DOUBLE), 0.1);
        becomes(new BigDecimal("1.50"), ColumnType.numericOf(0, 0), new BigDecimal("1.50"));
        becomes(new BigDecimal("1E+3"), ColumnType.numericOf(0, 0), new BigDecimal("1000"));
        becomes(BigInteger.TEN.pow(37), ColumnType.numericOf(0, 0), new BigDecimal(BigInteger.TEN.pow(37)));
        becomes(LocalDate.of(2024, 2, 29), ColumnType.UNTYPED, "2024-02-29");
        becomes(LocalDate.of(9, 1, 2), ColumnType.UNTYPED, "0009-01-02");
        becomes(LocalDate.of(10, 11, 12), ColumnType.UNTYPED, "0010-11-12");
        becomes(LocalDate.of(12_013, 1, 1), ColumnType.UNTYPED, "12013-01-01");
        becomes(LocalDate.of(0, 1, 1), ColumnType.UNTYPED, "0001-01-01 BC");
        becomes(LocalDateTime.of(2024, 2, 29, 1, 2, 3, 450_000_000), ColumnType.UNTYPED, "2024-02-29 01:02:03.45");
        becomes(new Interval(1, -2, 3), ColumnType.of(Kind.INTERVAL), new Interval(1, -2, 3));
        becomes(LocalTime.of(4, 5, 6, 500_000), ColumnType.UNTYPED, "04:05:06.0005");
        becomes(new UUID(1, 2), ColumnType.of(Kind.UUID), new UUID(1, 2));
        becomes(Instant.EPOCH, ColumnType.UNTYPED, "1970-01-01 00:00:00+00");
        becomes(LocalTime.MAX, ColumnType.UNTYPED, "24:00:00");
        becomes("text", ColumnType.UNTYPED, "text");
        becomes('c', ColumnType.UNTYPED, "c");
        becomes(new StringBuilder("built"), ColumnType.UNTYPED, "built");
        becomes(TimeUnit.DAYS, ColumnType.UNTYPED, "DAYS");
        becomes(OffsetDateTime.MAX, ColumnType.UNTYPED, "infinity");
        becomes(null, ColumnType.UNTYPED, null);
    }

    @Test
    void shouldSpellArraysAndCollectionsAsPostgresDoes() throws Exception {
        becomes(new int[] {1, -2}, ColumnType.UNTYPED, "{1,-2}");
        becomes(List.of(), ColumnType.UNTYPED, "{}");
        becomes(Arrays.asList(1.5, null), ColumnType.UNTYPED, "{1.5,NULL}");
        becomes(List.of("a", "", "NULL", "b, \"c\"\\{}"), ColumnType.UNTYPED,
                "{\"a\",\"\",\"NULL\",\"b, \\\"c\\\"\\\\{}\"}");
        becomes(Set.of(LocalDate.of(2024, 2, 29)), ColumnType.UNTYPED, "{\"2024-02-29\"}");
        becomes(new boolean[] {true, false}, ColumnType.UNTYPED, "{t,f}");
        becomes(new UUID[] {new UUID(0, 1)}, ColumnType.UNTYPED, "{00000000-0000-0000-0000-000000000001}");
        assertThatThrownBy(() -> Parameters.of(new int[1][1])).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("an array of arrays");
        assertThatThrownBy(() -> Parameters.of(List.of(Year.of(2013)))).hasMessageContaining("java.time.Year");
    }

    @Test
    void shouldRefuseAClassWithoutATypeAndSayWhichThereAre() {
        assertThatThrownBy(() -> Parameters.of(Year.of(2013))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.time.Year").hasMessageContaining("LocalDateTime");
    }
}
