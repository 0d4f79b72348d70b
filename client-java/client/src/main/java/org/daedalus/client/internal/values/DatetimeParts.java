package org.daedalus.client.internal.values;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.ValueException;
import org.daedalus.client.internal.values.DatetimeNumbers.Civil;
import org.daedalus.client.internal.values.DatetimeNumbers.LeadingInteger;
import org.daedalus.client.internal.values.DatetimeWords.Word;

/** The parts of a date and time that were found so far, and what numbers add to them. */
class DatetimeParts {
    static final int YEAR = 1;
    static final int MONTH = 1 << 1;
    static final int DAY = 1 << 2;
    static final int DAY_OF_YEAR = 1 << 3;
    static final int HOUR = 1 << 4;
    static final int MINUTE = 1 << 5;
    static final int SECOND = 1 << 6;
    static final int FRACTION = 1 << 7;
    static final int ZONE = 1 << 8;
    static final int DAYLIGHT_ZONE = 1 << 9;
    static final int DAYLIGHT_MODIFIER = 1 << 10;
    static final int MERIDIAN = 1 << 11;
    static final int ERA = 1 << 12;
    static final int WEEKDAY = 1 << 13;
    static final int FAR_DATETIME = 1 << 14;
    /** An abbreviation that has meant several offsets. */
    static final int CHANGING_ZONE = 1 << 15;
    static final int DATE = YEAR | MONTH | DAY;
    static final int TIME = HOUR | MINUTE | SECOND | FRACTION;

    static final long MICROS_PER_SECOND = 1_000_000;
    static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;
    static final long JULIAN_DAY_OF_1970 = 2_440_588;

    final String type;
    final String whole;

    int seen;
    boolean isJulian;
    boolean hasShortYear;
    boolean isBeforeChrist;

    long year;
    long month;
    long day;
    long dayOfYear;
    long hour;
    long minute;
    long second;
    long micros;

    DatetimeParts(String type, String whole) {
        this.type = type;
        this.whole = whole;
    }

    ValueException malformed() {
        return fault("22007", "invalid input syntax for type " + type);
    }

    ValueException outOfRange() {
        return fault("22008", "date/time field value out of range");
    }

    ValueException fault(String sqlState, String message) {
        return new ValueException(sqlState, message + ": \"" + whole + "\"");
    }

    boolean has(int parts) {
        return (seen & parts) == parts;
    }

    static boolean isBetween(long value, long low, long high) {
        return value >= low && value <= high;
    }

    /** PostgreSQL adds up seconds in 32 bits, which hours given as a number of their own may exceed. */
    long microsOfDay() {
        return (int) ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + micros;
    }

    long readMicros(String fraction) throws ValueException {
        if (fraction.charAt(0) != '.' || !DatetimeNumbers.isFraction(fraction)) {
            throw malformed();
        }
        return DatetimeNumbers.toMicros(DatetimeNumbers.readFraction(fraction));
    }

    /** Numbers and month names with separators. */
    int readDate(String text) throws ValueException {
        List<String> numbers = new ArrayList<>();
        int found = 0;
        int at = 0;
        while (at < text.length()) {
            while (at < text.length() && !isLetterOrDigit(text.charAt(at))) {
                at++;
            }
            if (at == text.length() || numbers.size() + (found != 0 ? 1 : 0) == DatetimeFields.FIELDS_MAX) {
                throw malformed();
            }
            boolean isNumber = DatetimeFields.isDigit(text.charAt(at));
            int end = at;
            while (end < text.length() && isLetterOrDigit(text.charAt(end))
                    && DatetimeFields.isDigit(text.charAt(end)) == isNumber) {
                end++;
            }
            String part = text.substring(at, end);
            at = end + 1; // With whatever character stands behind it.
            Word word = DatetimeWords.find(part);
            if (isNumber || word != null && word.kind() == DatetimeWords.Kind.IGNORED) {
                numbers.add(part); // An ignored word is no number either, which is noticed in its turn.
                continue;
            }
            if (word == null || word.kind() != DatetimeWords.Kind.MONTH || ((seen | found) & MONTH) != 0) {
                throw malformed();
            }
            month = word.number();
            found |= MONTH;
        }
        boolean hasName = found != 0;
        for (String number : numbers) {
            int parts = readNumber(number, hasName, seen | found);
            if (((seen | found) & parts) != 0) {
                throw malformed();
            }
            found |= parts;
        }
        if (((seen | found) & ~(DAY_OF_YEAR | ZONE)) != DATE) {
            throw malformed();
        }
        return found;
    }

    static boolean isLetterOrDigit(int c) {
        return DatetimeFields.isDigit(c) || DatetimeFields.isLetter(c);
    }

    /** A number alone: part of a date by its length and by what is there already, or a time. */
    int readNumber(String text, boolean hasName, int there) throws ValueException {
        LeadingInteger number = DatetimeNumbers.readInteger(text);
        if (number.isTooLarge()) {
            throw outOfRange();
        }
        if (number.rest().length() == text.length()) {
            throw malformed();
        }
        if (!number.rest().isEmpty()) {
            if (number.rest().charAt(0) == '.' && DatetimeNumbers.isFraction(number.rest())
                    && text.length() - number.rest().length() > 2) {
                return readRunTogether(text, there | DATE);
            }
            micros = readMicros(number.rest());
        }
        if (text.length() == 3 && (there & DATE) == YEAR && isBetween(number.value(), 1, 366)) {
            dayOfYear = number.value();
            return DAY_OF_YEAR | MONTH | DAY;
        }
        return (there & DATE) == DATE
                ? readRunTogether(text, there)
                : placeNumber(text.length(), number.value(), hasName, there);
    }

    int placeNumber(int size, long value, boolean hasName, int there) throws ValueException {
        switch (there & DATE) {
            case 0 :
                return size >= 3 ? isYear(size, value) : isMonth(value);
            case YEAR, DAY :
                return isMonth(value);
            case MONTH :
                return hasName && size >= 3 ? isYear(size, value) : isDay(value);
            case YEAR | MONTH :
                if (hasName && size >= 3 && hasShortYear) {
                    // The number that was taken for the year is the day: 3-jun-2013.
                    day = year;
                    year = value;
                    hasShortYear = false;
                    return DAY;
                }
                return isDay(value);
            case MONTH | DAY :
                return isYear(size, value);
            default :
                throw malformed();
        }
    }

    int isYear(int size, long value) {
        year = value;
        hasShortYear = size <= 2;
        return YEAR;
    }

    int isMonth(long value) {
        month = value;
        return MONTH;
    }

    int isDay(long value) {
        day = value;
        return DAY;
    }

    /** yymmdd, yyyymmdd, hhmmss or hhmm, run together. */
    int readRunTogether(String text, int there) throws ValueException {
        int point = text.indexOf('.');
        String digits = point >= 0 ? text.substring(0, point) : text;
        if (point >= 0) {
            micros = DatetimeNumbers.toMicros(DatetimeNumbers.readFraction(text.substring(point)));
        } else if ((there & DATE) != DATE && digits.length() >= 6) {
            int yearSize = digits.length() - 4;
            year = DatetimeNumbers.readWrapped(digits.substring(0, yearSize));
            month = DatetimeNumbers.readWrapped(digits.substring(yearSize, yearSize + 2));
            day = DatetimeNumbers.readWrapped(digits.substring(yearSize + 2));
            hasShortYear |= yearSize == 2;
            return DATE;
        }
        if ((there & TIME) == TIME || digits.length() != 4 && digits.length() != 6) {
            throw malformed();
        }
        hour = DatetimeNumbers.readWrapped(digits.substring(0, 2));
        minute = DatetimeNumbers.readWrapped(digits.substring(2, 4));
        second = digits.length() == 6 ? DatetimeNumbers.readWrapped(digits.substring(4)) : 0;
        return TIME;
    }

    void setJulianDay(long number) {
        setDate(DatetimeNumbers.fromDays(number - JULIAN_DAY_OF_1970));
        isJulian = true;
    }

    void setDate(Civil date) {
        year = date.year();
        month = date.month();
        day = date.day();
    }

    void checkYear() throws ValueException {
        if (!isBeforeChrist && hasShortYear) {
            year += isBetween(year, 70, 99) ? 1_900 : year < 70 ? 2_000 : 0;
            return;
        }
        if (year <= 0) {
            throw outOfRange();
        }
        year = isBeforeChrist ? 1 - year : year; // The year 0 is 1 BC.
    }

    void checkDate() throws ValueException {
        if (has(YEAR) && !isJulian) {
            checkYear();
        }
        if (has(DAY_OF_YEAR)) {
            setDate(DatetimeNumbers.fromDays(DatetimeNumbers.toDays(new Civil(year, 1, 1)) + dayOfYear - 1));
        }
        boolean isWrong = has(MONTH) && !isBetween(month, 1, 12) || has(DAY) && !isBetween(day, 1, 31)
                || has(DATE) && day > DatetimeNumbers.daysInMonth(year, (int) month);
        if (isWrong) {
            throw outOfRange();
        }
    }
}
