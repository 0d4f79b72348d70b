package org.daedalus.wire;

/**
 * A span of time whose months and days have no length of their own. Equality is of all three: a month is not 30 days,
 * although PostgreSQL's {@code =} takes them for equal.
 *
 * @param micros of time
 */
public record Interval(int months, int days, long micros) {
    private static final int MONTHS_PER_YEAR = 12;
    private static final long MICROS_PER_SECOND = 1_000_000L;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int SECONDS_PER_HOUR = 3_600;

    /** Shows the interval as PostgreSQL does: {@code 1 year 2 mons -3 days +04:05:06.5}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        boolean isBefore = appendPart(text, months / MONTHS_PER_YEAR, "year", false);
        isBefore = appendPart(text, months % MONTHS_PER_YEAR, "mon", isBefore);
        isBefore = appendPart(text, days, "day", isBefore);
        if (micros != 0 || text.isEmpty()) {
            appendTime(text, isBefore);
        }
        return text.toString();
    }

    /** A plus where the part before is negative; returns whether the last part so far is. */
    private static boolean appendPart(StringBuilder text, int value, String unit, boolean isBefore) {
        if (value == 0) {
            return isBefore;
        }
        text.append(text.isEmpty() ? "" : " ").append(isBefore && value > 0 ? "+" : "").append(value).append(' ')
                .append(unit).append(value == 1 ? "" : "s");
        return value < 0;
    }

    private void appendTime(StringBuilder text, boolean isBefore) {
        text.append(text.isEmpty() ? "" : " ").append(micros < 0 ? "-" : isBefore ? "+" : "");
        // The lowest number has no positive one: its digits are taken from below zero.
        long seconds = micros / MICROS_PER_SECOND;
        twoDigits(Math.abs(seconds / SECONDS_PER_HOUR), text).append(':');
        twoDigits(Math.abs(seconds / SECONDS_PER_MINUTE % SECONDS_PER_MINUTE), text).append(':');
        twoDigits(Math.abs(seconds % SECONDS_PER_MINUTE), text);
        long fraction = Math.abs(micros % MICROS_PER_SECOND);
        if (fraction != 0) {
            text.append('.').append(String.format("%06d", fraction).replaceFirst("0+$", ""));
        }
    }

    private static StringBuilder twoDigits(long value, StringBuilder text) {
        return text.append(value < 10 ? "0" : "").append(value);
    }
}
