package org.daedalus.client.internal.values;

import java.util.List;
import org.daedalus.client.ValueException;
import org.daedalus.client.internal.values.DatetimeFields.Field;
import org.daedalus.client.internal.values.DatetimeWords.Label;
import org.daedalus.client.internal.values.DatetimeWords.Word;

/**
 * A time of day out of fields, the same machine as semantics/values/dates/datetime_time_decoder.cpp. Fewer words mean
 * something than in a datetime, a date is taken in a few places only and nothing is made of it, and whether the time
 * is one is asked when all fields are read.
 */
final class TimeOfDayReader extends DatetimeReader {
    private static final int SHORT_NUMBER_MAX = 4;

    private TimeOfDayReader(String whole) {
        super("time", whole);
    }

    /** Reads a time of day: its result has only microseconds, and whether its zone has a name. */
    static Datetime read(String text) throws ValueException {
        List<Field> fields = DatetimeFields.split(text, DatetimeFields.DATE_CHARACTERS_MAX);
        TimeOfDayReader reader = new TimeOfDayReader(text);
        if (fields == null) {
            throw reader.malformed();
        }
        reader.takeAll(fields);
        return reader.finish();
    }

    private Datetime finish() throws ValueException {
        boolean isTime = isBetween(hour, 0, 24) && isBetween(minute, 0, 59) && isBetween(second, 0, 60);
        if (!isTime || microsOfDay() > MICROS_PER_DAY) {
            throw outOfRange();
        }
        // Part of a date is not enough to look up an offset, and of no use where there is none to look up.
        boolean isZoneOfDay = !has(ZONE) || has(CHANGING_ZONE);
        boolean hasPartOfDate = isZoneOfDay && (seen & DATE) != 0 && !has(DATE);
        if (!has(TIME) || hasPartOfDate || hasMisplacedModifier()) {
            throw malformed();
        }
        // Without a date PostgreSQL takes zones whose clocks never change; which these are is not known here.
        return new Datetime(Kind.FINITE, 0, microsOfDay(), isAtPlace || hasZoneName && !has(DATE), 0, false);
    }

    @Override
    int take(List<Field> fields, int place) throws ValueException {
        Field field = fields.get(place);
        switch (field.kind()) {
            case DATE :
                return takeDate(fields, place);
            case TIME :
                return readTime(field.text());
            case ZONE :
                readZoneOffset(field.text());
                return ZONE;
            case NUMBER :
                return label != Label.NONE ? takeLabelled(field.text()) : takeNumber(fields, place);
            default :
                return takeWord(fields, place);
        }
    }

    /** A date where a time follows at once, or hyphens are in the last field; else a time with its zone, or a zone. */
    private int takeDate(List<Field> fields, int place) throws ValueException {
        String text = fields.get(place).text();
        if (place == 0 && fields.size() >= 2
                && (fields.get(fields.size() - 1).kind() == DatetimeFields.Kind.DATE
                        || fields.get(1).kind() == DatetimeFields.Kind.TIME)) {
            return readDate(text);
        }
        if (!DatetimeFields.isDigit(text.charAt(0))) {
            return takeZoneName(text);
        }
        int sign = text.indexOf('-');
        if (has(TIME) || sign < 0) {
            throw malformed();
        }
        return readTimeWithZone(text, sign, seen | DATE);
    }

    private int takeNumber(List<Field> fields, int place) throws ValueException {
        String text = fields.get(place).text();
        int point = text.indexOf('.');
        if (point >= 0) {
            if (place == 0 && fields.size() >= 2 && fields.get(fields.size() - 1).kind() == DatetimeFields.Kind.DATE) {
                return readDate(text);
            }
            if (point <= 2) {
                throw malformed();
            }
            return readRunTogether(text, seen | DATE);
        }
        return text.length() > SHORT_NUMBER_MAX
                ? readRunTogether(text, seen | DATE)
                : readNumber(text, false, seen | DATE);
    }

    @Override
    int takeKnownWord(String text, Word word, boolean hasTimeNext) throws ValueException {
        switch (word.kind()) {
            case ISO_TIME :
                if (!hasTimeNext) {
                    throw malformed();
                }
                label = Label.ISO_TIME;
                return 0;
            case CURRENT :
                if (!text.equals("now")) {
                    throw malformed();
                }
                return super.takeKnownWord(text, word, hasTimeNext);
            case IGNORED, MORNING, AFTERNOON, AFTER_CHRIST, BEFORE_CHRIST, LABEL, MIDNIGHT, DAYLIGHT_MODIFIER :
                return super.takeKnownWord(text, word, hasTimeNext);
            default :
                throw malformed();
        }
    }
}
