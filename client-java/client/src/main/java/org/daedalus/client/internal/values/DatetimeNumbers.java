package org.daedalus.client.internal.values;

/** Numbers within dates and times. */
final class DatetimeNumbers {
    private static final double MICROS_PER_SECOND = 1e6;
    private static final int ZONE_HOURS_MAX = 15;
    private static final long ERA_DAYS = 146_097;
    private static final long ERA_YEARS = 400;

    /** The integer that a text begins with, and the rest of the text; value 0 if it begins with none. */
    record LeadingInteger(long value, String rest) {
        /** Says whether the integer is too large for 32 bits. */
        boolean isTooLarge() {
            return value != (int) value;
        }
    }

    /** A day of the proleptic Gregorian calendar. Year 0 is 1 BC. */
    record Civil(long year, int month, int day) {}

    private DatetimeNumbers() {}

    /** Returns the integer at the beginning; the greatest or smallest long when it is beyond 64 bits. */
    static LeadingInteger readInteger(String text) {
        boolean isNegative = text.startsWith("-");
        int start = isNegative || text.startsWith("+") ? 1 : 0;
        int end = start;
        long value = 0;
        boolean overflows = false;
        while (end < text.length() && DatetimeFields.isDigit(text.charAt(end))) {
            int digit = text.charAt(end++) - '0';
            overflows |= value > (Long.MAX_VALUE - digit) / 10;
            value = overflows ? Long.MAX_VALUE : value * 10 + digit;
        }
        if (end == start) {
            return new LeadingInteger(0, text);
        }
        long signed = isNegative ? overflows ? Long.MIN_VALUE : -value : value;
        return new LeadingInteger(signed, text.substring(end));
    }

    /** The low 32 bits of what is too large, and 0 for no number: so PostgreSQL reads digits run together. */
    static int readWrapped(String text) {
        return (int) readInteger(text).value();
    }

    /** Reads a decimal point and the digits behind it, and ignores the rest. */
    static double readFraction(String point) {
        int size = 1;
        while (size < point.length() && DatetimeFields.isDigit(point.charAt(size))) {
            size++;
        }
        return Double.parseDouble("0" + point.substring(0, size) + "0");
    }

    /** Says whether nothing but digits follows the point. */
    static boolean isFraction(String point) {
        return point.chars().skip(1).allMatch(DatetimeFields::isDigit);
    }

    /** A fraction of a second, rounded half to even: as much as a whole one. */
    static long toMicros(double fraction) {
        return (long) Math.rint(fraction * MICROS_PER_SECOND);
    }

    /** The SQLSTATE of what is wrong with the offset of a time zone, null if nothing is. */
    static String zoneOffsetFault(String text) {
        if (!text.startsWith("+") && !text.startsWith("-")) {
            return "22007";
        }
        LeadingInteger hours = readInteger(text.substring(1));
        LeadingInteger minutes = new LeadingInteger(0, hours.rest());
        LeadingInteger seconds = new LeadingInteger(0, hours.rest());
        if (hours.rest().startsWith(":")) {
            minutes = readInteger(hours.rest().substring(1));
            seconds = new LeadingInteger(0, minutes.rest());
            if (minutes.rest().startsWith(":")) {
                seconds = readInteger(minutes.rest().substring(1));
            }
        } else if (hours.rest().isEmpty() && text.length() > 3 && !hours.isTooLarge()) {
            minutes = new LeadingInteger(hours.value() % 100, "");
            hours = new LeadingInteger(hours.value() / 100, "");
        }
        boolean isOutOfRange = hours.value() < 0 || hours.value() > ZONE_HOURS_MAX || minutes.value() < 0
                || minutes.value() > 59 || seconds.value() < 0 || seconds.value() > 59;
        return isOutOfRange ? "22009" : seconds.rest().isEmpty() ? null : "22007";
    }

    /** Seconds east of UTC. Precondition: nothing is wrong with it. */
    static long zoneOffset(String text) {
        String[] parts = text.substring(1).split(":");
        boolean isRunTogether = parts.length == 1 && text.length() > 3;
        long first = readInteger(parts[0]).value();
        long hours = isRunTogether ? first / 100 : first;
        long minutes = isRunTogether ? first % 100 : parts.length > 1 ? readInteger(parts[1]).value() : 0;
        long seconds = parts.length > 2 ? readInteger(parts[2]).value() : 0;
        return ((hours * 60 + minutes) * 60 + seconds) * (text.startsWith("-") ? -1 : 1);
    }

    /** Days since 1970-01-01 of a legal day. */
    static long toDays(Civil date) {
        // Years start in March, so that the leap day is a year's last; an era is 400 years.
        long year = date.year - (date.month <= 2 ? 1 : 0);
        long era = Math.floorDiv(year, ERA_YEARS);
        long yearOfEra = year - era * ERA_YEARS;
        long month = date.month > 2 ? date.month - 3 : date.month + 9;
        long dayOfYear = (153 * month + 2) / 5 + date.day - 1;
        return era * ERA_DAYS + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
    }

    static Civil fromDays(long days) {
        long shifted = days + 719_468;
        long era = Math.floorDiv(shifted, ERA_DAYS);
        long dayOfEra = shifted - era * ERA_DAYS;
        long yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long month = (5 * dayOfYear + 2) / 153;
        int day = (int) (dayOfYear - (153 * month + 2) / 5 + 1);
        int civilMonth = (int) (month < 10 ? month + 3 : month - 9);
        return new Civil(yearOfEra + era * ERA_YEARS + (civilMonth <= 2 ? 1 : 0), civilMonth, day);
    }

    static int daysInMonth(long year, int month) {
        boolean isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
        return switch (month) {
            case 2 -> isLeap ? 29 : 28;
            case 4, 6, 9, 11 -> 30;
            default -> 31;
        };
    }
}
