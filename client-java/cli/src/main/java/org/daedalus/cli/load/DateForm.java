package org.daedalus.cli.load;

import java.text.ParsePosition;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.List;
import java.util.Locale;
import org.daedalus.cli.CliException;
import org.daedalus.wire.ColumnType.Kind;

/**
 * Dates and timestamps that are written in one of several patterns, as PostgreSQL reads them. A day that no calendar
 * has is none, whatever the pattern; years of two digits are 1970 to 2069, as in PostgreSQL.
 */
final class DateForm {
    private static final int FIRST_YEAR = 1970;
    private static final String TWO_DIGITS = "(?<!y)yy(?!y)";

    private final List<DateTimeFormatter> formatters;

    DateForm(List<String> patterns) {
        formatters = patterns.stream().map(DateForm::formatter).toList();
    }

    /** Refuses a pattern that Java does not know, or that says no day. */
    static void check(String pattern) throws CliException {
        try {
            LocalDate day = LocalDate.of(2024, 1, 31);
            String text = formatter(pattern).format(day.atStartOfDay(ZoneOffset.UTC));
            if (!day.equals(formatter(pattern).parse(text).query(TemporalQueries.localDate()))) {
                throw new DateTimeException("it does not say which day");
            }
        } catch (DateTimeException | IllegalArgumentException e) {
            throw CliException.usage("--date-format '" + pattern + "' is no pattern of dates: " + e.getMessage()
                    + "; patterns are for example dd.MM.yyyy or 'dd/MM/yyyy[ HH:mm[:ss]]'");
        }
    }

    private static DateTimeFormatter formatter(String pattern) {
        DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder().parseCaseInsensitive();
        String[] parts = pattern.split(TWO_DIGITS, -1);
        for (int part = 0; part < parts.length; part++) {
            if (part > 0) {
                builder.appendValueReduced(ChronoField.YEAR, 2, 2, FIRST_YEAR);
            }
            builder.appendPattern(parts[part]);
        }
        return builder.parseDefaulting(ChronoField.ERA, 1).toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT);
    }

    /** The text as PostgreSQL reads it into a column of {@code kind}; null where no pattern fits. */
    String rewritten(String text, Kind kind) {
        for (DateTimeFormatter formatter : formatters) {
            TemporalAccessor parsed = parse(formatter, text.strip());
            if (parsed != null) {
                return iso(parsed, kind);
            }
        }
        return null;
    }

    /** Reads a date, and returns null where the text is none; of most of those it finds out without an exception. */
    private static TemporalAccessor parse(DateTimeFormatter formatter, String text) {
        ParsePosition end = new ParsePosition(0);
        if (formatter.parseUnresolved(text, end) == null || end.getIndex() < text.length()) {
            return null;
        }
        try {
            TemporalAccessor parsed = formatter.parse(text);
            return parsed.query(TemporalQueries.localDate()) == null ? null : parsed;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static String iso(TemporalAccessor parsed, Kind kind) {
        LocalDate day = parsed.query(TemporalQueries.localDate());
        LocalTime time = parsed.query(TemporalQueries.localTime());
        if (kind == Kind.DATE || time == null) {
            return day.toString();
        }
        boolean isInZone = kind == Kind.TIMESTAMPTZ && parsed.query(TemporalQueries.zone()) != null;
        if (!isInZone) {
            return day + " " + DateTimeFormatter.ISO_LOCAL_TIME.format(time);
        }
        // An hour that a zone's clocks show twice is the later one, as in PostgreSQL.
        OffsetDateTime sqlTimestamp = parsed.query(TemporalQueries.offset()) != null ? OffsetDateTime.from(parsed)
                : ZonedDateTime.of(day, time, parsed.query(TemporalQueries.zone())).withLaterOffsetAtOverlap()
                        .toOffsetDateTime();
        return sqlTimestamp.toLocalDate() + " " + DateTimeFormatter.ISO_LOCAL_TIME.format(sqlTimestamp.toLocalTime())
                + sqlTimestamp.getOffset();
    }
}
