package org.daedalus.output;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.daedalus.client.ValueText;
import org.daedalus.wire.ColumnType;

/** Shows a timestamp with time zone by the clocks of a zone, spelled as PostgreSQL does. */
final class SqlTimestampText {
    private static final String BEFORE_CHRIST = " BC";
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int SECONDS_PER_HOUR = 3_600;

    private SqlTimestampText() {}

    /** {@code inUtc}: its text in UTC, which infinity has in every zone. */
    static String format(Instant sqlTimestamp, String inUtc, ZoneId zone) {
        if (inUtc.endsWith("infinity")) {
            return inUtc;
        }
        LocalDateTime onClock = LocalDateTime.ofInstant(sqlTimestamp, zone);
        String clock = ValueText.format(ColumnType.of(ColumnType.Kind.TIMESTAMP), onClock);
        String offset = offset(zone.getRules().getOffset(sqlTimestamp).getTotalSeconds());
        return clock.endsWith(BEFORE_CHRIST)
                ? clock.substring(0, clock.length() - BEFORE_CHRIST.length()) + offset + BEFORE_CHRIST
                : clock + offset;
    }

    /** Minutes and seconds only where there are some. */
    private static String offset(int seconds) {
        int size = Math.abs(seconds);
        int minutes = size % SECONDS_PER_HOUR / SECONDS_PER_MINUTE;
        int rest = size % SECONDS_PER_MINUTE;
        return (seconds < 0 ? "-" : "+") + String.format("%02d", size / SECONDS_PER_HOUR)
                + (minutes > 0 || rest > 0 ? String.format(":%02d", minutes) : "")
                + (rest > 0 ? String.format(":%02d", rest) : "");
    }
}
