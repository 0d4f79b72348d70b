package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Locale;
import java.util.Random;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.PackedValues;
import org.junit.jupiter.api.Test;

class ValueTextTest {
    private static final ColumnType BOOL = ColumnType.of(Kind.BOOL);
    private static final ColumnType SMALLINT = ColumnType.of(Kind.SMALLINT);
    private static final ColumnType BIGINT = ColumnType.of(Kind.BIGINT);
    private static final ColumnType REAL = ColumnType.of(Kind.REAL);
    private static final ColumnType DOUBLE = ColumnType.of(Kind.DOUBLE);
    private static final ColumnType DATE = ColumnType.of(Kind.DATE);
    private static final ColumnType TIMESTAMP = ColumnType.of(Kind.TIMESTAMP);
    private static final ColumnType TIMESTAMPTZ = ColumnType.of(Kind.TIMESTAMPTZ);
    private static final ColumnType MONEY = ColumnType.numericOf(5, 2);

    private static void refused(ColumnType type, String text, String sqlState) {
        ValueException refusal = catchThrowableOfType(ValueException.class, () -> ValueText.parse(type, text));
        assertThat(refusal).as("%s %s", type, text).isNotNull();
        assertThat(refusal.sqlState()).as("%s", refusal.getMessage()).isEqualTo(sqlState);
    }

    /** Each as PostgreSQL 15 reads it. */
    @Test
    void shouldReadMomentsInZonesThatTheyName() throws Exception {
        for (String[] moment : new String[][] {
            {"2024-01-01 10:00 Europe/Zurich", "2024-01-01T09:00:00Z"},
            {"2024-07-01 10:00 america/new_york", "2024-07-01T14:00:00Z"},
            {"2024-03-31 02:30 Europe/Zurich", "2024-03-31T01:30:00Z"},
            {"2024-10-27 02:30 Europe/Zurich", "2024-10-27T01:30:00Z"},
            {"1800-01-01 00:00 Europe/Zurich", "1799-12-31T23:25:52Z"},
            {"2024-07-01 10:00 Japan", "2024-07-01T01:00:00Z"},
            {"2024-07-01 10:00 EST5EDT", "2024-07-01T14:00:00Z"},
            {"0001-01-01 00:00 America/New_York", "0001-01-01T04:56:02Z"}}) {
            assertThat(ValueText.parse(TIMESTAMPTZ, moment[0])).as(moment[0]).isEqualTo(Instant.parse(moment[1]));
        }
        refused(TIMESTAMPTZ, "2024-07-01 10:00 Europe/Nowhere", "22023");
        refused(TIMESTAMPTZ, "0001-01-01 00:00 Europe/Zurich", "0A000"); // No column keeps timestamps before Christ.
    }

    @Test
    void shouldReadAndShowInfinityOfMoments() throws ValueException {
        for (ColumnType type : new ColumnType[] {DATE, TIMESTAMP, TIMESTAMPTZ}) {
            for (String text : new String[] {"infinity", "-infinity"}) {
                Object moment = ValueText.parse(type, text.toUpperCase(Locale.ROOT));
                assertThat(ValueText.format(type, moment)).isEqualTo(text);
                assertThat(PackedValues.encode(type, moment)).containsOnly(
                        text.startsWith("-") ? new int[] {0, 0x80} : new int[] {0xff, 0x7f});
            }
        }
        assertThat(ValueText.parse(DATE, "infinity")).isEqualTo(LocalDate.MAX);
        assertThat(ValueText.parse(TIMESTAMP, "-infinity")).isEqualTo(LocalDateTime.MIN);
        assertThat(ValueText.parse(TIMESTAMPTZ, "infinity")).isEqualTo(Instant.MAX);
    }

    @Test
    void shouldReadBooleansByUniquePrefix() throws ValueException {
        for (String text : new String[] {"t", "TRUE", "y", "yes", "on", "1", " tr "}) {
            assertThat(ValueText.parse(BOOL, text)).isEqualTo(true);
        }
        for (String text : new String[] {"f", "False", "n", "NO", "off", "of", "0"}) {
            assertThat(ValueText.parse(BOOL, text)).isEqualTo(false);
        }
        refused(BOOL, "o", "22P02");
        refused(BOOL, "", "22P02");
        refused(BOOL, "2", "22P02");
    }

    @Test
    void shouldReadIntegersWithinTheirRange() throws ValueException {
        assertThat(ValueText.parse(SMALLINT, " -32768 ")).isEqualTo(Short.MIN_VALUE);
        assertThat(ValueText.parse(BIGINT, "+9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThat(ValueText.parse(BIGINT, "0000000000000000000000000000012")).isEqualTo(12L);
        refused(SMALLINT, "32768", "22003");
        refused(BIGINT, "9223372036854775808", "22003");
        refused(BIGINT, "99999999999999999999999999999", "22003");
        refused(SMALLINT, "1.5", "22P02");
        refused(SMALLINT, "32768.5", "22P02");
        refused(SMALLINT, "32769.5", "22003");
        refused(SMALLINT, "-32769x", "22003");
        refused(BIGINT, "-9223372036854775809", "22003");
        refused(BIGINT, "--1", "22P02");
        assertThat(ValueText.parse(BIGINT, "-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
        refused(SMALLINT, "0x10", "22P02");
        refused(SMALLINT, "", "22P02");
    }

    @Test
    void shouldRoundNumericsHalfAwayFromZero() throws ValueException {
        assertThat(ValueText.parse(MONEY, "1.005")).isEqualTo(new BigDecimal("1.01"));
        assertThat(ValueText.parse(MONEY, "-1.005")).isEqualTo(new BigDecimal("-1.01"));
        assertThat(ValueText.parse(MONEY, "1e2")).isEqualTo(new BigDecimal("100.00"));
        assertThat(ValueText.parse(MONEY, "1e-999999999")).isEqualTo(new BigDecimal("0.00"));
        assertThat(ValueText.parse(ColumnType.numericOf(2, 2), "0.994")).isEqualTo(new BigDecimal("0.99"));
        refused(MONEY, "999.995", "22003");
        refused(ColumnType.numericOf(2, 2), "0.995", "22003");
        refused(MONEY, "1e999999999", "22003");
        refused(MONEY, "NaN", "0A000");
        refused(MONEY, "-nan", "22P02");
        refused(MONEY, "Infinity", "22003");
        refused(MONEY, "1,5", "22P02");
        refused(ColumnType.of(Kind.INTERVAL), "1 day", "0A000");
    }

    @Test
    void shouldReadAndPrintFloats() throws ValueException {
        assertThat(ValueText.parse(DOUBLE, "1e3")).isEqualTo(1000.0);
        assertThat(ValueText.parse(DOUBLE, "-inf")).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(ValueText.parse(REAL, "nan")).isEqualTo(Float.NaN);
        refused(DOUBLE, "1e400", "22003");
        refused(DOUBLE, "1e-400", "22003");
        refused(REAL, "1e40", "22003");
        refused(DOUBLE, "1d", "22P02");
        refused(DOUBLE, "0x", "22P02");
        refused(DOUBLE, "0x1p-1100", "22003");
        assertThat(ValueText.parse(DOUBLE, "0x10")).isEqualTo(16.0);
        assertThat(ValueText.parse(DOUBLE, "-0x1.8P+1")).isEqualTo(-3.0);
        assertThat(ValueText.parse(DOUBLE, "-nan(7)")).isEqualTo(Double.NaN);
        refused(DOUBLE, "", "22P02");
        assertThat(ValueText.format(DOUBLE, 0.1)).isEqualTo("0.1");
        assertThat(ValueText.format(DOUBLE, -0.0)).isEqualTo("-0");
        assertThat(ValueText.format(DOUBLE, 1e14)).isEqualTo("100000000000000");
        assertThat(ValueText.format(DOUBLE, 1e15)).isEqualTo("1e+15");
        assertThat(ValueText.format(DOUBLE, 0.0001)).isEqualTo("0.0001");
        assertThat(ValueText.format(DOUBLE, 0.00001234)).isEqualTo("1.234e-05");
        assertThat(ValueText.format(DOUBLE, 2e23)).isEqualTo("1.9999999999999998e+23");
        assertThat(ValueText.format(DOUBLE, 5e-324)).isEqualTo("5e-324");
        assertThat(ValueText.format(REAL, 123456.0f)).isEqualTo("123456");
        assertThat(ValueText.format(REAL, 1234567.0f)).isEqualTo("1.234567e+06");
        assertThat(ValueText.format(REAL, 0.1f)).isEqualTo("0.1");
        assertThat(ValueText.format(REAL, 67108896.0f)).isEqualTo("6.7108896e+07");
        assertThat(ValueText.format(DOUBLE, 4.7008859922902157e+17)).isEqualTo("4.7008859922902157e+17");
        assertThat(ValueText.format(DOUBLE, Double.MAX_VALUE)).isEqualTo("1.7976931348623157e+308");
        assertThat(ValueText.format(DOUBLE, Double.POSITIVE_INFINITY)).isEqualTo("Infinity");
    }

    @Test
    void shouldReadBackEveryFloatItPrints() throws ValueException {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 5_000; i++) {
            double wide = Double.longBitsToDouble(random.nextLong());
            float narrow = Float.intBitsToFloat(random.nextInt());
            assertThat(ValueText.parse(DOUBLE, ValueText.format(DOUBLE, wide))).isEqualTo(wide);
            assertThat(ValueText.parse(REAL, ValueText.format(REAL, narrow))).isEqualTo(narrow);
        }
    }

    @Test
    void shouldReadIsoDatesAndTimes() throws ValueException {
        assertThat(ValueText.parse(DATE, "2013-01-02")).isEqualTo(LocalDate.of(2013, 1, 2));
        assertThat(ValueText.parse(TIMESTAMP, "2013-01-01T05:00:00Z")).isEqualTo(LocalDateTime.of(2013, 1, 1, 5, 0));
        assertThat(ValueText.parse(TIMESTAMP, "2013-01-01 05:00:00.1234567"))
                .isEqualTo(LocalDateTime.of(2013, 1, 1, 5, 0, 0, 123_457_000));
        assertThat(ValueText.parse(TIMESTAMP, "2013-12-31 24:00:00")).isEqualTo(LocalDateTime.of(2014, 1, 1, 0, 0));
        assertThat(ValueText.parse(TIMESTAMP, "2013-01-01")).isEqualTo(LocalDateTime.of(2013, 1, 1, 0, 0));
        refused(DATE, "2013-02-29", "22008");
        refused(DATE, "13/02/2013", "22008");
        refused(TIMESTAMP, "2013-01-01 25:00:00", "22008");
        assertThat(ValueText.parse(TIMESTAMP, "2013-01-01 23:59:59.9999995"))
                .isEqualTo(LocalDateTime.of(2013, 1, 2, 0, 0));
        assertThat(ValueText.parse(TIMESTAMP, "2013-01-01 00:00:00.0000005"))
                .isEqualTo(LocalDateTime.of(2013, 1, 1, 0, 0));
        assertThat(ValueText.parse(TIMESTAMP, "2013-01-01 23:59:60")).isEqualTo(LocalDateTime.of(2013, 1, 2, 0, 0));
        assertThat(ValueText.format(DATE, ValueText.parse(DATE, "5874897-12-31"))).isEqualTo("5874897-12-31");
        refused(DATE, "5874898-01-01", "22008");
        refused(TIMESTAMP, "294247-01-01", "0A000");
        refused(TIMESTAMP, "294277-01-01", "22008");
        assertThat(ValueText.parse(TIMESTAMP, "2013-01-01 05:00:00+02")).isEqualTo(LocalDateTime.of(2013, 1, 1, 5, 0));
        refused(TIMESTAMP, "today 5:00", "0A000");
        refused(DATE, "0044-03-15 BC", "0A000");
        refused(DATE, "+infinity", "22007");
        for (String text : new String[] {"", "2013", "2013-01", "2013-01-01T", "x"}) {
            refused(DATE, text, "22007");
        }
        assertThat(ValueText.parse(TIMESTAMPTZ, "2013-01-01 05:00:00.5+05:30"))
                .isEqualTo(Instant.parse("2012-12-31T23:30:00.5Z"));
        assertThat(ValueText.parse(TIMESTAMPTZ, "2013-01-01 05:00 PST"))
                .isEqualTo(Instant.parse("2013-01-01T13:00:00Z"));
        assertThat(ValueText.format(TIMESTAMPTZ, Instant.parse("2013-01-01T05:00:00.5Z")))
                .isEqualTo("2013-01-01 05:00:00.5+00");
        refused(TIMESTAMPTZ, "2013-01-01 05:00+16", "22009");
        assertThat(ValueText.format(TIMESTAMP, LocalDateTime.of(2013, 1, 1, 5, 0, 0, 500_000_000)))
                .isEqualTo("2013-01-01 05:00:00.5");
        assertThat(ValueText.format(DATE, LocalDate.of(0, 2, 29))).isEqualTo("0001-02-29 BC");
        assertThat(ValueText.format(DATE, LocalDate.of(12013, 2, 3))).isEqualTo("12013-02-03");
    }

    @Test
    void shouldMeasureStringsInBytesAndForgiveBlanks() throws ValueException {
        assertThat(ValueText.parse(ColumnType.varcharOf(3), "ab   ")).isEqualTo("ab ");
        assertThat(ValueText.parse(ColumnType.charOf(3), "ab   ")).isEqualTo("ab");
        assertThat(ValueText.parse(ColumnType.varcharOf(2), "é")).isEqualTo("é");
        refused(ColumnType.varcharOf(1), "é", "22001");
        refused(ColumnType.charOf(2), "abc", "22001");
        refused(ColumnType.varcharOf(5), "a\0", "22021");
    }
}
