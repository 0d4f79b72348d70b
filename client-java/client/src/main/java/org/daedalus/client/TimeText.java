package org.daedalus.client;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** ISO 8601 dates and times from and to text. No time zones: a trailing Z is accepted and means nothing. */
final class TimeText {
    private static final String MOMENT = "(\\d{4,7})-(\\d{1,2})-(\\d{1,2})"
            + "(?:(?:[Tt]| +)(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d*))?)?)?";
    private static final Pattern ISO = Pattern.compile(MOMENT + " *[Zz]?");
    private static final Pattern REFUSED_BY_NAME =
            Pattern.compile("-?infinity|" + MOMENT + " *(?:[+-].*|UTC|GMT|BC)", Pattern.CASE_INSENSITIVE);
    private static final int NANOS_PER_MICRO = 1_000;
    private static final double MICROS_PER_SECOND = 1e6;
    private static final int DATE_YEAR_MAX = 5_874_897;
    private static final int TIMESTAMP_YEAR_MAX = 294_246;

    private TimeText() {}

    static LocalDate parseDate(String text) throws ValueException {
        return parse(text, "date", DATE_YEAR_MAX).date;
    }

    static LocalDateTime parseTimestamp(String text) throws ValueException {
        Parsed parsed = parse(text, "timestamp", TIMESTAMP_YEAR_MAX);
        return parsed.date.atStartOfDay().plusSeconds(parsed.seconds).plusNanos(parsed.micros * NANOS_PER_MICRO);
    }

    static String format(LocalDate date) {
        return day(date) + era(date);
    }

    static String format(LocalDateTime time) {
        StringBuilder text = new StringBuilder(day(time.toLocalDate()));
        text.append(' ');
        twoDigits(time.getHour(), text).append(':');
        twoDigits(time.getMinute(), text).append(':');
        twoDigits(time.getSecond(), text);
        int micros = time.getNano() / NANOS_PER_MICRO;
        if (micros != 0) {
            text.append('.').append(String.format("%06d", micros).replaceFirst("0+$", ""));
        }
        return text.append(era(time.toLocalDate())).toString();
    }

    private static String day(LocalDate date) {
        int year = date.getYear() > 0 ? date.getYear() : 1 - date.getYear();
        StringBuilder text = new StringBuilder(10);
        text.append("0".repeat(Math.max(0, 4 - Integer.toString(year).length()))).append(year).append('-');
        twoDigits(date.getMonthValue(), text).append('-');
        return twoDigits(date.getDayOfMonth(), text).toString();
    }

    private static String era(LocalDate date) {
        return date.getYear() > 0 ? "" : " BC";
    }

    private static StringBuilder twoDigits(int value, StringBuilder text) {
        return text.append(value < 10 ? "0" : "").append(value);
    }

    private record Parsed(LocalDate date, long seconds, long micros) {}

    private static Parsed parse(String text, String type, int yearMax) throws ValueException {
        Matcher fields = ISO.matcher(text.strip());
        if (!fields.matches()) {
            if (REFUSED_BY_NAME.matcher(text.strip()).matches()) {
                throw new ValueException("0A000",
                        "infinity, time zones and dates before the year 1 are not supported: \"" + text + "\"");
            }
            throw new ValueException("22007", "invalid input syntax for type " + type + ": \"" + text + "\"");
        }
        int hour = number(fields.group(4));
        int minute = number(fields.group(5));
        int second = number(fields.group(6));
        long micros = micros(fields.group(7));
        boolean timeOk = hour < 24 && minute < 60 && second <= 60
                || hour == 24 && minute == 0 && second == 0 && micros == 0;
        int year = number(fields.group(1));
        if (!timeOk || year < 1 || year > yearMax) {
            throw outOfRange(text);
        }
        try {
            LocalDate date = LocalDate.of(year, number(fields.group(2)), number(fields.group(3)));
            return new Parsed(date, hour * 3_600L + minute * 60L + second, micros);
        } catch (DateTimeException e) {
            throw outOfRange(text);
        }
    }

    private static ValueException outOfRange(String text) {
        return new ValueException("22008", "date/time field value out of range: \"" + text + "\"");
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    /** Microseconds of a fraction's digits, rounded half to even. */
    private static long micros(String fraction) {
        return fraction == null || fraction.isEmpty()
                ? 0
                : (long) Math.rint(Double.parseDouble("0." + fraction) * MICROS_PER_SECOND);
    }
}
