package org.daedalus.client.internal.values;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * A date or timestamp as text, cut into fields: the first half of reading it as PostgreSQL does. Refuses to know what
 * words and numbers mean.
 */
public final class DatetimeFields {
    enum Kind {
        /** Digits, with at most one decimal point. */
        NUMBER,
        /** Numbers and words joined by '-', '/' or '.': a date, or the name of a time zone. */
        DATE,
        /** Digits with colons and points. */
        TIME,
        /** A sign and a number. */
        ZONE,
        /** Letters, a sign before them or none. */
        WORD
    }

    /** Letters are in lower case. */
    record Field(Kind kind, String text) {}

    static final int FIELDS_MAX = 25;
    /** Characters that the fields may have together: PostgreSQL refuses longer ones as malformed. */
    static final int DATE_CHARACTERS_MAX = 128;
    static final int TIMESTAMP_CHARACTERS_MAX = 152;

    private final String text;
    private final StringBuilder field = new StringBuilder();
    private final List<Field> fields = new ArrayList<>();
    private int at;

    private DatetimeFields(String text) {
        this.text = text;
    }

    /**
     * Returns the fields; null when the text has a character that belongs to none, too many fields or too many
     * characters.
     */
    static List<Field> split(String text, int charactersMax) {
        return new DatetimeFields(text).split(charactersMax);
    }

    public static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isLetter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    private static boolean isSpace(int c) {
        return c == ' ' || c >= '\t' && c <= '\r';
    }

    private static boolean isIgnored(int c) {
        boolean isPunctuation = c > ' ' && c < 0x7f && !isDigit(c) && !isLetter(c);
        return isSpace(c) || isPunctuation && c != '.' && c != '+' && c != '-';
    }

    private List<Field> split(int charactersMax) {
        int characters = 0;
        while (at < text.length()) {
            if (isIgnored(next())) {
                at++;
                continue;
            }
            field.setLength(0);
            Kind kind = fields.size() == FIELDS_MAX ? null : takeField();
            characters += field.length();
            if (kind == null || characters > charactersMax) {
                return null;
            }
            characters++;
            fields.add(new Field(kind, field.toString()));
        }
        return fields;
    }

    /** Returns the next character, 0 at the end. */
    private int next() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void take() {
        int c = text.charAt(at++);
        field.append((char) (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }

    private void takeWhile(IntPredicate belongs) {
        while (at < text.length() && belongs.test(next())) {
            take();
        }
    }

    private Kind takeField() {
        int first = next();
        if (isDigit(first)) {
            return takeNumber();
        }
        if (first == '.') {
            take();
            takeWhile(DatetimeFields::isDigit);
            return Kind.NUMBER;
        }
        if (isLetter(first)) {
            return takeWord();
        }
        return first == '+' || first == '-' ? takeSigned() : null;
    }

    /** A number, and what it turns into when a colon or a separator of dates follows. */
    private Kind takeNumber() {
        takeWhile(DatetimeFields::isDigit);
        int separator = next();
        if (separator == ':') {
            takeWhile(c -> isDigit(c) || c == ':' || c == '.');
            return Kind.TIME;
        }
        return separator == '-' || separator == '/' || separator == '.' ? takeDate(separator) : Kind.NUMBER;
    }

    private Kind takeDate(int separator) {
        take();
        if (!isDigit(next())) {
            takeWhile(c -> isDigit(c) || isLetter(c) || c == separator); // The month may be a word.
            return Kind.DATE;
        }
        takeWhile(DatetimeFields::isDigit);
        boolean hasThreeParts = next() == separator;
        if (hasThreeParts) {
            takeWhile(c -> isDigit(c) || c == separator);
        }
        return separator == '.' && !hasThreeParts ? Kind.NUMBER : Kind.DATE;
    }

    /** Letters; with a separator behind them a date that begins with its month, or the name of a time zone. */
    private Kind takeWord() {
        takeWhile(DatetimeFields::isLetter);
        int c = next();
        boolean isJoined = c == '-' || c == '/' || c == '.'
                || (c == '+' || isDigit(c)) && DatetimeWords.find(field.toString()) == null;
        if (isJoined) {
            takeWhile(each -> isDigit(each) || isLetter(each) || "+-/_.:".indexOf(each) >= 0);
        }
        return isJoined ? Kind.DATE : Kind.WORD;
    }

    private Kind takeSigned() {
        take();
        while (isSpace(next())) {
            at++;
        }
        if (isDigit(next())) {
            takeWhile(c -> isDigit(c) || c == ':' || c == '.' || c == '-');
            return Kind.ZONE;
        }
        takeWhile(DatetimeFields::isLetter);
        return field.length() > 1 ? Kind.WORD : null;
    }
}
