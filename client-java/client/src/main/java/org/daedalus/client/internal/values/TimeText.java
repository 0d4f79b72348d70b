package org.daedalus.client.internal.values;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.daedalus.client.ValueException;
import org.daedalus.client.internal.values.DatetimeReader.Datetime;
import org.daedalus.wire.PackedValues;

/**
 * Dates, timestamps and times of day from and to text. Of what PostgreSQL reads, its answer or a refusal by name
 * (0A000): years before 1, and words like today, because what is read here has no time of its own.
 * Infinity is MAX and MIN of the classes.
 */
public final class TimeText {
    private static final int NANOS_PER_MICRO = 1_000;
    /** Characters of most of them, for a start. */
    private static final int DATE_SIZE = 10;
    private static final int TIMESTAMP_SIZE = 26;
    private static final int TIME_SIZE = 15;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;
    /** 2000-01-01, from which PostgreSQL counts. */
    private static final long POSTGRES_FIRST_DAY = 10_957;

    private static final Instant FIRST = LocalDate.of(1, 1, 1).atStartOfDay(ZoneOffset.UTC).toInstant();

    private TimeText() {}

    public static LocalDate parseDate(String text) throws ValueException {
        Datetime datetime = DatetimeReader.read("date", text);
        if (isInfinite(datetime)) {
            return isEarly(datetime) ? LocalDate.MIN : LocalDate.MAX;
        }
        return dayOf("date", text, datetime, datetime.days(), Limits.DATE_DAYS_MAX, Limits.DATE_DAYS_MAX);
    }

    public static LocalDateTime parseTimestamp(String text) throws ValueException {
        Datetime datetime = DatetimeReader.read("timestamp", text);
        if (isInfinite(datetime)) {
            return isEarly(datetime) ? LocalDateTime.MIN : LocalDateTime.MAX;
        }
        return timestamp(text, datetime, datetime.micros());
    }

    /** micros: of the day, or before or behind it. */
    private static LocalDateTime timestamp(String text, Datetime datetime, long micros) throws ValueException {
        long days = datetime.days() + Math.floorDiv(micros, MICROS_PER_DAY);
        // PostgreSQL takes a time of day that leads to the other side of its first day for an overflow.
        long first = datetime.days() - POSTGRES_FIRST_DAY;
        long last = first + Math.floorDiv(datetime.micros(), MICROS_PER_DAY);
        boolean isAtItsStart = last == 0 && datetime.micros() % MICROS_PER_DAY == 0;
        if (first > 0 ? last < 0 : first < -1 && last >= 0 && !isAtItsStart) {
            throw new ValueException("22008", "timestamp out of range: \"" + text + "\"");
        }
        return dayOf("timestamp", text, datetime, days, Limits.TIMESTAMP_DAYS_MAX, Limits.OUR_TIMESTAMP_DAYS_MAX)
                .atStartOfDay().plusNanos(micros % MICROS_PER_DAY * NANOS_PER_MICRO).plusDays(micros / MICROS_PER_DAY);
    }

    /** Reads a timestamp in the time zone that the text says, by offset or by name, otherwise in UTC. */
    public static Instant parseInstant(String text) throws ValueException {
        Datetime datetime = DatetimeReader.read("timestamp with time zone", text);
        if (isInfinite(datetime)) {
            return isEarly(datetime) ? Instant.MIN : Instant.MAX;
        }
        if (datetime.isZoneUnknown()) {
            return parseAtPlace(text, datetime);
        }
        LocalDateTime clock = timestamp(text, datetime, datetime.micros() - datetime.offset() * MICROS_PER_SECOND);
        return clock.toInstant(ZoneOffset.UTC);
    }

    private static Instant parseAtPlace(String text, Datetime datetime) throws ValueException {
        ZoneId zone = NamedZone.find(DatetimeFields.split(text, DatetimeFields.TIMESTAMP_CHARACTERS_MAX));
        if (zone == null) {
            throw notSupported("the name of a place as time zone is", text);
        }
        Datetime clock = new Datetime(datetime.kind(), datetime.days(), datetime.micros(), false, 0, false);
        Instant found = NamedZone.instant(timestamp(text, clock, clock.micros()), zone);
        if (found.isBefore(FIRST)) {
            throw notSupported("timestamps before the year 1 are", text);
        }
        return found;
    }

    public static String format(Instant instant) {
        if (instant.equals(Instant.MAX) || instant.equals(Instant.MIN)) {
            return infinity(instant.equals(Instant.MIN));
        }
        LocalDateTime clock = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        String text = format(clock);
        int end = text.length() - era(clock.toLocalDate()).length();
        return text.substring(0, end) + "+00" + text.substring(end);
    }

    public static LocalTime parseTime(String text) throws ValueException {
        Datetime datetime = TimeOfDayReader.read(text);
        if (datetime.isAtPlace()) {
            throw notSupported("the name of a time zone is", text);
        }
        return PackedValues.timeOfMicros(datetime.micros());
    }

    public static String format(LocalDate date) {
        if (date.equals(LocalDate.MAX) || date.equals(LocalDate.MIN)) {
            return infinity(date.equals(LocalDate.MIN));
        }
        return day(date, new StringBuilder(DATE_SIZE)).append(era(date)).toString();
    }

    public static String format(LocalDateTime time) {
        if (time.equals(LocalDateTime.MAX) || time.equals(LocalDateTime.MIN)) {
            return infinity(time.equals(LocalDateTime.MIN));
        }
        StringBuilder text = day(time.toLocalDate(), new StringBuilder(TIMESTAMP_SIZE)).append(' ');
        return append(time.toLocalTime(), text).append(era(time.toLocalDate())).toString();
    }

    /** LocalTime.MAX stands for 24:00:00. */
    public static String format(LocalTime time) {
        return time.equals(LocalTime.MAX) ? "24:00:00" : append(time, new StringBuilder(TIME_SIZE)).toString();
    }

    private static StringBuilder append(LocalTime time, StringBuilder text) {
        twoDigits(time.getHour(), text).append(':');
        twoDigits(time.getMinute(), text).append(':');
        twoDigits(time.getSecond(), text);
        int micros = time.getNano() / NANOS_PER_MICRO;
        if (micros != 0) {
            text.append('.').append(String.format("%06d", micros).replaceFirst("0+$", ""));
        }
        return text;
    }

    private static StringBuilder day(LocalDate date, StringBuilder text) {
        int year = date.getYear() > 0 ? date.getYear() : 1 - date.getYear();
        for (int power = 1_000; power > year; power /= 10) {
            text.append('0');
        }
        text.append(year).append('-');
        twoDigits(date.getMonthValue(), text).append('-');
        return twoDigits(date.getDayOfMonth(), text);
    }

    private static String era(LocalDate date) {
        return date.getYear() > 0 ? "" : " BC";
    }

    private static StringBuilder twoDigits(int value, StringBuilder text) {
        return text.append(value < 10 ? "0" : "").append(value);
    }

    private static final class Limits {
        /** PostgreSQL's types hold this range, which is more than Daedalus' types hold. */
        static final long DAYS_MIN = -2_440_588;
        static final long DATE_DAYS_MAX = 2_145_042_905;
        static final long TIMESTAMP_DAYS_MAX = DatetimeNumbers.toDays(new DatetimeNumbers.Civil(294_276, 12, 31));
        static final long OUR_TIMESTAMP_DAYS_MAX = DatetimeNumbers.toDays(new DatetimeNumbers.Civil(294_246, 12, 31));
        static final long OUR_DAYS_MIN = -719_162;
    }

    private static ValueException notSupported(String what, String text) {
        return new ValueException("0A000", what + " not supported: \"" + text + "\"");
    }

    private static boolean isInfinite(Datetime datetime) {
        return datetime.kind() == DatetimeReader.Kind.LATE || isEarly(datetime);
    }

    private static boolean isEarly(Datetime datetime) {
        return datetime.kind() == DatetimeReader.Kind.EARLY;
    }

    private static String infinity(boolean isEarly) {
        return isEarly ? "-infinity" : "infinity";
    }

    /** Returns the day, checked against what the type holds here and in PostgreSQL. */
    private static LocalDate dayOf(String type, String text, Datetime datetime, long days, long postgresMax, long max)
            throws ValueException {
        if (days < Limits.DAYS_MIN || days > postgresMax) {
            throw new ValueException("22008", type + " out of range: \"" + text + "\"");
        }
        if (days < Limits.OUR_DAYS_MIN) {
            throw notSupported(type + "s before the year 1 are", text);
        }
        if (days > max) {
            throw notSupported(type + "s after the year 294246 are", text);
        }
        if (datetime.isAtPlace()) {
            throw notSupported("the name of a place as time zone is", text);
        }
        return LocalDate.ofEpochDay(datetime.days());
    }
}
