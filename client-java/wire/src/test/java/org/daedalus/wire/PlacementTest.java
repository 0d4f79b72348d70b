package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final int LENGTH_MAX = 1_100;

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
}
