package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Random;
import org.daedalus.wire.ColumnType.Kind;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final int LENGTH_MAX = 1_100;
    /** Timestamp, ordinal, partition of five, segment of four. */
    private static final String[][] ROUND_ROBIN = {
        {"1", "0", "1", "1"},
        {"1", "1023", "1", "0"},
        {"1", "1024", "4", "2"},
        {"1", "5000", "3", "0"},
        {"1", "4294967295", "4", "0"},
        {"2", "0", "4", "2"},
        {"2", "1023", "4", "1"},
        {"2", "1024", "0", "0"},
        {"2", "5000", "4", "0"},
        {"2", "4294967295", "0", "1"},
        {"77", "0", "0", "0"},
        {"77", "1023", "0", "3"},
        {"77", "1024", "4", "3"},
        {"77", "5000", "2", "0"},
        {"77", "4294967295", "4", "3"},
        {"18446744073709551615", "0", "3", "3"},
        {"18446744073709551615", "1023", "3", "2"},
        {"18446744073709551615", "1024", "0", "0"},
        {"18446744073709551615", "5000", "0", "0"},
        {"18446744073709551615", "4294967295", "4", "2"},
    };

    /** The expected sum comes from the reference implementation in C, over the same bytes. */
    @Test
    void shouldHashLikeTheReferenceForEveryLength() {
        byte[] bytes = new byte[LENGTH_MAX];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 131 + 7);
        }
        long sum = 0;
        for (int length = 0; length <= LENGTH_MAX; length++) {
            sum = sum * 31 + Placement.digest(Arrays.copyOf(bytes, length));
        }
        assertThat(Placement.digest(new byte[0])).isEqualTo(0x2d06800538d394c2L);
        assertThat(Placement.digest(Arrays.copyOf(bytes, 17))).isEqualTo(0xb58bf5dc5022d071L);
        assertThat(Placement.digest(Arrays.copyOf(bytes, 241))).isEqualTo(0x956cae592c67279eL);
        assertThat(sum).isEqualTo(0x4164ad3a31cfe381L);
    }

    @Test
    void shouldReduceToTheHighHalfOfTheProduct() {
        long seed = Seeds.seed();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            long hash = random.nextLong() >>> random.nextInt(64);
            int count = 1 + random.nextInt(Integer.MAX_VALUE);
            BigInteger product = new BigInteger(Long.toUnsignedString(hash)).multiply(BigInteger.valueOf(count));
            assertThat(Placement.reduce(hash, count)).as("seed %d", seed)
                    .isEqualTo(product.shiftRight(64).intValueExact());
        }
    }

    @Test
    void shouldTreatEqualValuesAlike() {
        ColumnType real = ColumnType.of(ColumnType.Kind.REAL);
        assertThat(Placement.key(real, -0.0f)).isEqualTo(Placement.key(real, 0.0f));
        assertThat(Placement.key(ColumnType.charOf(5), "LX   ")).isEqualTo(Placement.key(ColumnType.charOf(5), "LX"));
        assertThat(Placement.key(ColumnType.varcharOf(5), null)).isEqualTo(Placement.NULL_KEY);
        assertThat(Placement.keyOfPacked(ColumnType.varcharOf(5), null)).isEqualTo(Placement.NULL_KEY);
        assertThat(Placement.keyOfPacked(real, PackedValues.encode(real, -0.0f)))
                .isEqualTo(Placement.key(real, 0.0f));
    }

    @Test
    void shouldKeepRunsOfOneThousandRowsTogether() {
        int first = Placement.roundRobinPartition(7, 0, 3);
        for (int ordinal = 0; ordinal < 1_024; ordinal++) {
            assertThat(Placement.roundRobinPartition(7, ordinal, 3)).isEqualTo(first);
            assertThat(Placement.roundRobinSegment(7, ordinal, 4))
                    .isEqualTo((Placement.roundRobinSegment(7, 0, 4) + ordinal) % 4);
        }
        assertThat(Placement.roundRobinPartition(7, 1_024, 3)).isEqualTo(Placement.roundRobinPartition(8, 0, 3));
    }

    /** The C++ implementation gives these numbers, too. */
    @Test
    void shouldPlaceValuesWhereCppDoes() {
        key(ColumnType.of(Kind.INT), 318, 0x8ba74072b39ef997L, 3, 0);
        key(ColumnType.of(Kind.SMALLINT), (short) -2, 0x00e7cbba5da9e337L, 0, 1);
        key(ColumnType.of(Kind.DOUBLE), -0.0, 0xc77b3abb6f87acd9L, 5, 2);
        key(ColumnType.numericOf(5, 2), new BigDecimal("-1.50"), 0x79384e8661405644L, 3, 0);
        key(ColumnType.numericOf(38, 0), new BigDecimal("-1"), 0x722a202f07a4b313L, 3, 1);
        key(ColumnType.of(Kind.DATE), LocalDate.of(1969, 12, 31), 0xcd6b1c920d3f662cL, 5, 0);
        key(ColumnType.of(Kind.TIMESTAMP), LocalDateTime.of(2013, 1, 1, 5, 0), 0x361b6e3b22ebe72bL, 1, 0);
        key(ColumnType.charOf(3), "JFK", 0x285b488641389eefL, 1, 1);
        key(ColumnType.varcharOf(20), "Zürich", 0x0ba44fcc12cca74eL, 0, 0);
        for (String[] row : ROUND_ROBIN) {
            long timestamp = Long.parseUnsignedLong(row[0]);
            int ordinal = Integer.parseUnsignedInt(row[1]);
            assertThat(Placement.roundRobinPartition(timestamp, ordinal, 5)).isEqualTo(Integer.parseInt(row[2]));
            assertThat(Placement.roundRobinSegment(timestamp, ordinal, 4)).isEqualTo(Integer.parseInt(row[3]));
        }
    }

    private static void key(ColumnType type, Object value, long key, int partitionOfSeven, int segmentOfThree) {
        assertThat(Placement.key(type, value)).as("%s %s", type, value).isEqualTo(key);
        assertThat(Placement.keyOfPacked(type, PackedValues.encode(type, value))).as("%s %s", type, value)
                .isEqualTo(key);
        assertThat(Placement.hashPartition(key, 7)).isEqualTo(partitionOfSeven);
        assertThat(Placement.hashSegment(key, 3)).isEqualTo(segmentOfThree);
    }
}
