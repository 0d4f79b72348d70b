package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IntervalTest {
    private static void shows(Interval interval, String text) {
        assertThat(interval).hasToString(text);
    }

    @Test
    void shouldShowWhatPostgresShows() {
        shows(new Interval(0, 0, 0), "00:00:00");
        shows(new Interval(14, 3, 14_706_500_000L), "1 year 2 mons 3 days 04:05:06.5");
        shows(new Interval(-14, 3, -1), "-1 years -2 mons +3 days -00:00:00.000001");
        shows(new Interval(1, -1, 1_000_000L), "1 mon -1 days +00:00:01");
        shows(new Interval(0, 1, 0), "1 day");
        shows(new Interval(0, 0, 360_000_000_000L), "100:00:00");
        shows(new Interval(Integer.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE),
                "-178956970 years -8 mons -2147483648 days -2562047788:00:54.775808");
        shows(new Interval(Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE),
                "178956970 years 7 mons 2147483647 days 2562047788:00:54.775807");
    }

    @Test
    void shouldTellApartWhatIsAsLongAndNotTheSame() {
        assertThat(new Interval(1, 0, 0)).isNotEqualTo(new Interval(0, 30, 0)).isEqualTo(new Interval(1, 0, 0));
    }
}
