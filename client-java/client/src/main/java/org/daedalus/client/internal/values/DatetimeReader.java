package org.daedalus.client.internal.values;

import java.util.List;
import org.daedalus.client.ValueException;
import org.daedalus.client.internal.values.DatetimeFields.Field;
import org.daedalus.client.internal.values.DatetimeNumbers.Civil;
import org.daedalus.client.internal.values.DatetimeNumbers.LeadingInteger;
import org.daedalus.client.internal.values.DatetimeWords.Label;
import org.daedalus.client.internal.values.DatetimeWords.Word;

/**
 * Fields of a date or timestamp put together: the second half of reading it as PostgreSQL does, with DateStyle ISO,
 * MDY. The same machine as semantics/values/dates/datetime_decoder.cpp; both are held to rpc/vectors/datetimes.tsv.
 *
 * <p>
 * Decides which part of a datetime each field is: that depends on what came before it, on its length and on labels and
 * month names beside it. Refuses to know the types' ranges, and which offset a zone that is named has.
 */
class DatetimeReader extends DatetimeParts {
    enum Kind {
        FINITE, EPOCH, LATE, EARLY
    }

    /**
     * The meaning of a text: microseconds of a day since 1970, or beyond its end.
     *
     * @param isAtPlace its time zone has a place's name; whether there is such a place is not known here
     * @param offset of its time zone, in seconds east of UTC
     * @param isZoneUnknown it names a time zone whose offset is not known here
     */
    record Datetime(Kind kind, long days, long micros, boolean isAtPlace, long offset, boolean isZoneUnknown) {}

    Label label = Label.NONE;
    private boolean hasMonthName;
    boolean hasZoneName;
    boolean isAtPlace;
    private long offset;
    private boolean isZoneUnknown;
    private Boolean isAfternoon;
    private Kind kind = Kind.FINITE;

    DatetimeReader(String type, String whole) {
        super(type, whole);
    }

    /** type: for messages, "date" or "timestamp". */
    static Datetime read(String type, String text) throws ValueException {
        boolean isDate = type.equals("date");
        List<Field> fields = DatetimeFields.split(text,
                isDate ? DatetimeFields.DATE_CHARACTERS_MAX : DatetimeFields.TIMESTAMP_CHARACTERS_MAX);
        DatetimeReader reader = new DatetimeReader(type, text);
        if (fields == null) {
            throw reader.malformed();
        }
        return reader.read(fields);
    }

    final void readZoneOffset(String text) throws ValueException {
        String sqlState = DatetimeNumbers.zoneOffsetFault(text);
        if (sqlState != null) {
            throw sqlState.equals("22009") ? fault(sqlState, "time zone displacement out of range") : malformed();
        }
        offset = DatetimeNumbers.zoneOffset(text);
    }

    /** Takes all fields, and leaves it to the caller to make a value of the type. */
    final void takeAll(List<Field> fields) throws ValueException {
        for (int place = 0; place < fields.size(); place++) {
            int parts = take(fields, place);
            if ((parts & seen) != 0) {
                throw malformed();
            }
            seen |= parts;
        }
        checkDate();
        applyMeridian();
    }

    private Datetime read(List<Field> fields) throws ValueException {
        takeAll(fields);
        if (kind != Kind.FINITE) {
            return new Datetime(kind, 0, 0, false, 0, false);
        }
        if (!has(DATE) || hasMisplacedModifier()) {
            throw malformed();
        }
        long days = DatetimeNumbers.toDays(new Civil(year, (int) month, (int) day));
        return new Datetime(kind, days, microsOfDay(), isAtPlace, offset, isZoneUnknown);
    }

    /** "dst" where no standard time of a known offset stands beside it. */
    final boolean hasMisplacedModifier() {
        return has(DAYLIGHT_MODIFIER) && (!has(ZONE) || hasZoneName || has(CHANGING_ZONE));
    }

    /** Takes one field, and returns the parts that it adds, which must be new. */
    int take(List<Field> fields, int place) throws ValueException {
        String text = fields.get(place).text();
        switch (fields.get(place).kind()) {
            case DATE :
                return takeDateField(text);
            case TIME :
                return takeTimeField(text);
            case ZONE :
                readZoneOffset(text);
                return ZONE;
            case NUMBER :
                return label != Label.NONE ? takeLabelled(text) : takeNumberField(text);
            default :
                return takeWord(fields, place);
        }
    }

    private int takeDateField(String text) throws ValueException {
        if (label == Label.JULIAN_DAY) {
            LeadingInteger number = DatetimeNumbers.readInteger(text);
            if (number.isTooLarge() || number.value() < 0) {
                throw outOfRange();
            }
            setJulianDay(number.value());
            label = Label.NONE;
            readZoneOffset(number.rest());
            return DATE | TIME | ZONE;
        }
        if (label == Label.NONE && !has(MONTH | DAY)) {
            return readDate(text);
        }
        // There is a date: this is a time run together with its zone, or the name of a zone.
        boolean isTime = DatetimeFields.isDigit(text.charAt(0)) || label != Label.NONE;
        return isTime ? takeTimeWithZone(text) : takeZoneName(text);
    }

    private int takeTimeWithZone(String text) throws ValueException {
        int sign = text.indexOf('-');
        if (label != Label.NONE && label != Label.ISO_TIME || has(TIME) || sign < 0) {
            throw malformed();
        }
        label = Label.NONE;
        return readTimeWithZone(text, sign, seen);
    }

    /** The zone behind a time that it is run together with, and that time. */
    final int readTimeWithZone(String text, int sign, int there) throws ValueException {
        readZoneOffset(text.substring(sign));
        return readRunTogether(text.substring(0, sign), there) | ZONE;
    }

    final int takeZoneName(String text) throws ValueException {
        hasZoneName = true;
        isZoneUnknown = true;
        if (!DatetimeWords.isZone(text)) {
            isAtPlace = DatetimeWords.isPlace(text);
            if (!isAtPlace) {
                throw fault("22023", "time zone not recognized");
            }
        }
        return ZONE;
    }

    private int takeTimeField(String text) throws ValueException {
        if (label != Label.NONE && label != Label.ISO_TIME) {
            throw malformed();
        }
        label = Label.NONE;
        int parts = readTime(text);
        // 24:00:00 is midnight of the next day, 60 seconds the next minute: so says ISO 8601.
        if (hour > 24 || microsOfDay() > MICROS_PER_DAY) {
            throw outOfRange();
        }
        return parts;
    }

    /** hh:mm:ss.fff, hh:mm or mm:ss.fff, its hours as many as they are. */
    final int readTime(String text) throws ValueException {
        LeadingInteger first = DatetimeNumbers.readInteger(text);
        LeadingInteger next = DatetimeNumbers.readInteger(first.rest().substring(1)); // Behind the colon.
        boolean hasThird = next.rest().startsWith(":");
        LeadingInteger third =
                hasThird ? DatetimeNumbers.readInteger(next.rest().substring(1)) : new LeadingInteger(0, next.rest());
        // Hours beyond 64 bits are noticed at once, those beyond 32 only when everything else is right.
        if (first.value() == Long.MAX_VALUE || next.isTooLarge() || third.isTooLarge()) {
            throw outOfRange();
        }
        micros = 0;
        if (!third.rest().isEmpty()) {
            micros = readMicros(third.rest());
        }
        boolean isMinutesAndSeconds = !hasThird && !third.rest().isEmpty();
        hour = isMinutesAndSeconds ? 0 : first.value();
        minute = isMinutesAndSeconds ? first.value() : next.value();
        second = isMinutesAndSeconds ? next.value() : third.value();
        if (first.isTooLarge() || minute > 59 || second > 60) {
            throw outOfRange();
        }
        return TIME;
    }

    private int takeNumberField(String text) throws ValueException {
        int point = text.indexOf('.');
        if (point >= 0 && (seen & DATE) == 0) {
            return readDate(text);
        }
        // Six digits are a date or a time, unless there is some of both: then they are a year.
        boolean isRunTogether = point > 2 || text.length() >= 6 && ((seen & DATE) == 0 || (seen & TIME) == 0);
        return isRunTogether ? readRunTogether(text, seen) : readNumber(text, hasMonthName, seen);
    }

    final int takeLabelled(String text) throws ValueException {
        Label its = label;
        LeadingInteger number = DatetimeNumbers.readInteger(text);
        if (number.isTooLarge()) {
            throw outOfRange();
        }
        boolean mayHavePoint = its == Label.JULIAN_DAY || its == Label.ISO_TIME || its == Label.SECOND;
        if (!number.rest().isEmpty() && (number.rest().charAt(0) != '.' || !mayHavePoint)) {
            throw malformed();
        }
        int parts = its == Label.ISO_TIME
                ? readRunTogether(text, seen | DATE)
                : takeLabelledValue(its, number.value(), number.rest());
        label = Label.NONE;
        kind = Kind.FINITE;
        return parts;
    }

    private int takeLabelledValue(Label its, long value, String fraction) throws ValueException {
        switch (its) {
            case YEAR :
                year = value;
                return YEAR;
            case MONTH :
                if (has(MONTH | HOUR)) { // Behind a month and an hour it is minutes.
                    minute = value;
                    return MINUTE;
                }
                month = value;
                return MONTH;
            case DAY :
                day = value;
                return DAY;
            case HOUR :
                hour = value;
                return HOUR;
            case MINUTE :
                minute = value;
                return MINUTE;
            case SECOND :
                second = value;
                if (fraction.isEmpty()) {
                    return SECOND;
                }
                micros = DatetimeNumbers.toMicros(DatetimeNumbers.readFraction(fraction));
                return SECOND | FRACTION;
            case JULIAN_DAY :
                setJulianDay(value);
                if (fraction.isEmpty()) {
                    return DATE;
                }
                hour = 0;
                minute = 0;
                second = 0;
                micros = (long) (DatetimeNumbers.readFraction(fraction) * MICROS_PER_DAY);
                hour = micros / (3_600 * MICROS_PER_SECOND);
                micros -= hour * 3_600 * MICROS_PER_SECOND;
                return DATE | TIME;
            default :
                throw malformed();
        }
    }

    final int takeWord(List<Field> fields, int place) throws ValueException {
        String text = fields.get(place).text();
        Integer minutes = DatetimeWords.standardTime(text);
        if (minutes != null) {
            offset = minutes * 60L;
            return ZONE;
        }
        minutes = DatetimeWords.daylightTime(text);
        if (minutes != null) {
            offset = minutes * 60L;
            return ZONE | DAYLIGHT_ZONE;
        }
        if (DatetimeWords.isTimeOfPlace(text)) {
            offset = 0;
            isZoneUnknown = true;
            return ZONE | CHANGING_ZONE;
        }
        Word word = DatetimeWords.find(text);
        if (word == null) {
            hasZoneName = DatetimeWords.isZone(text);
            if (!hasZoneName) {
                throw malformed();
            }
            isZoneUnknown = true;
            return ZONE;
        }
        DatetimeFields.Kind next = place + 1 < fields.size() ? fields.get(place + 1).kind() : DatetimeFields.Kind.WORD;
        boolean hasTimeNext = next != DatetimeFields.Kind.WORD && next != DatetimeFields.Kind.ZONE;
        return takeKnownWord(text, word, hasTimeNext);
    }

    int takeKnownWord(String text, Word word, boolean hasTimeNext) throws ValueException {
        switch (word.kind()) {
            case IGNORED :
                return 0;
            case MONTH :
                return takeMonthName(word.number());
            case WEEKDAY :
                return WEEKDAY;
            case MORNING, AFTERNOON :
                isAfternoon = word.kind() == DatetimeWords.Kind.AFTERNOON;
                return MERIDIAN;
            case AFTER_CHRIST, BEFORE_CHRIST :
                isBeforeChrist = word.kind() == DatetimeWords.Kind.BEFORE_CHRIST;
                return ERA;
            case LABEL :
                label = word.label();
                return 0;
            case ISO_TIME :
                if (!has(DATE) || !hasTimeNext) {
                    throw malformed();
                }
                label = Label.ISO_TIME;
                return 0;
            case CURRENT :
                throw fault("0A000", "the " + type + " \"" + text + "\" is not supported");
            case MIDNIGHT :
                kind = Kind.FINITE;
                hour = 0;
                minute = 0;
                second = 0;
                return TIME | ZONE;
            case EPOCH :
                kind = Kind.EPOCH;
                return FAR_DATETIME;
            case LATE :
                kind = Kind.LATE;
                return FAR_DATETIME;
            case EARLY :
                kind = Kind.EARLY;
                return FAR_DATETIME;
            case DAYLIGHT_MODIFIER :
                offset += 3_600;
                return DAYLIGHT_MODIFIER | DAYLIGHT_ZONE;
            default :
                throw malformed();
        }
    }

    /** A number that was taken for the month turns out to be the day. */
    private int takeMonthName(int number) {
        boolean wasDay = has(MONTH) && !hasMonthName && !has(DAY) && isBetween(month, 1, 31);
        if (wasDay) {
            day = month;
        }
        hasMonthName = true;
        month = number;
        return wasDay ? DAY : MONTH;
    }

    private void applyMeridian() throws ValueException {
        if (isAfternoon == null) {
            return;
        }
        if (hour > 12) {
            throw outOfRange();
        }
        hour = hour % 12 + (isAfternoon ? 12 : 0); // Twelve is the first hour of either half.
    }
}
