package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private static final int COUNT = 100_000;

    @Test
    void shouldRepeatTimesOfOneSeed() {
        assertThat(times(new Arrivals(500, 1))).containsExactly(times(new Arrivals(500, 1)));
        assertThat(times(new Arrivals(500, 1))).isNotEqualTo(times(new Arrivals(500, 2)));
    }

    @Test
    void shouldAscendAtTheGivenRateWithExponentialGaps() {
        long[] times = times(new Arrivals(2_000, 3));
        assertThat(times).isSorted();
        double seconds = times[COUNT - 1] / 1e9;
        assertThat(COUNT / seconds).isCloseTo(2_000, within(40.0));
        double meanGapNs = times[COUNT - 1] / (double) COUNT;
        long longGaps = LongStream.range(1, COUNT).filter(i -> times[(int) i] - times[(int) i - 1] > meanGapNs).count();
        assertThat(longGaps / (double) COUNT).isCloseTo(Math.exp(-1), within(0.01));
    }

    @Test
    void shouldRefuseRatesThatAreNone() {
        assertThatThrownBy(() -> new Arrivals(0, 1)).hasMessageContaining("above 0");
        assertThatThrownBy(() -> new Arrivals(Double.NaN, 1)).hasMessageContaining("above 0");
        assertThatThrownBy(() -> new Arrivals(1_000_001, 1)).hasMessageContaining("at most 1,000,000");
    }

    private static long[] times(Arrivals arrivals) {
        return LongStream.generate(arrivals::next).limit(COUNT).toArray();
    }
}
