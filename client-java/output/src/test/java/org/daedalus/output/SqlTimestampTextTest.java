package org.daedalus.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

/** Each expected text is what PostgreSQL 15 shows of the timestamp with time zone in a session of the zone. */
class SqlTimestampTextTest {
    private static String shown(String sqlTimestamp, String zone) {
        return SqlTimestampText.format(Instant.parse(sqlTimestamp), sqlTimestamp, ZoneId.of(zone));
    }

    @Test
    void shouldShowMomentsByTheClocksOfAZone() {
        assertThat(shown("2024-01-01T09:00:00Z", "Europe/Zurich")).isEqualTo("2024-01-01 10:00:00+01");
        assertThat(shown("2024-07-01T09:00:00.25Z", "America/New_York")).isEqualTo("2024-07-01 05:00:00.25-04");
        assertThat(shown("2024-01-01T09:00:00Z", "Asia/Kolkata")).isEqualTo("2024-01-01 14:30:00+05:30");
        assertThat(shown("1800-01-01T00:00:00Z", "Europe/Zurich")).isEqualTo("1800-01-01 00:34:08+00:34:08");
        assertThat(shown("0001-01-01T00:00:00Z", "America/New_York")).isEqualTo("0001-12-31 19:03:58-04:56:02 BC");
    }

    @Test
    void shouldShowInfinityAsItIs() {
        assertThat(SqlTimestampText.format(Instant.MAX, "infinity", ZoneId.of("Europe/Zurich"))).isEqualTo("infinity");
    }
}
