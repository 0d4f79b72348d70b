package org.daedalus.cli.sql;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.ResultColumn;
import org.daedalus.output.Answer;
import org.daedalus.wire.ColumnType;

/**
 * SET TIME ZONE, RESET and SHOW, which the command line answers itself: the zone travels with every statement, and
 * there is no other parameter of a session here. SET of anything else is the cluster's to refuse.
 */
final class ZoneStatement {
    private static final Pattern SET = Pattern.compile(
            "SET\\s+(?:SESSION\\s+)?(?:TIME\\s+ZONE\\s+|TimeZone\\s*(?:=\\s*|\\s+TO\\s+))(.+)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern RESET =
            Pattern.compile("RESET\\s+(?:TIME\\s+ZONE|TimeZone)", Pattern.CASE_INSENSITIVE);
    private static final Pattern SHOW = Pattern.compile("SHOW\\s+(.+)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern ZONE = Pattern.compile("TIME\\s+ZONE|TimeZone", Pattern.CASE_INSENSITIVE);
    private static final Pattern HOURS = Pattern.compile("[+-]?\\d{1,3}");
    private static final ColumnType TEXT = ColumnType.varcharOf(0);

    private ZoneStatement() {}

    /** Says whether a statement is one of these. */
    static boolean isWanted(String sql) {
        String text = bare(sql);
        return SET.matcher(text).matches() || RESET.matcher(text).matches() || SHOW.matcher(text).matches();
    }

    /** Carries it out: what SHOW shows, or empty where the settings have another zone now. */
    static Optional<Answer> run(String sql, Settings settings) {
        String text = bare(sql);
        Matcher set = SET.matcher(text);
        if (set.matches()) {
            settings.setZone(zone(set.group(1).strip()));
            return Optional.empty();
        }
        Matcher show = SHOW.matcher(text);
        if (show.matches()) {
            return Optional.of(shown(show.group(1).strip(), settings.zone().name()));
        }
        settings.setZone(SessionZone.UTC);
        return Optional.empty();
    }

    private static SessionZone zone(String value) {
        if (value.equalsIgnoreCase("DEFAULT") || value.equalsIgnoreCase("LOCAL")) {
            return SessionZone.UTC;
        }
        String name = unquoted(value);
        Optional<SessionZone> found = HOURS.matcher(name).matches() ? SessionZone.ofHours(Integer.parseInt(name))
                : SessionZone.find(name);
        return found.orElseThrow(() -> new DaedalusException(DaedalusException.Category.REJECTED, "22023",
                "invalid value for parameter \"TimeZone\": \"" + name + "\"; here it is a name such as "
                        + "Europe/Zurich, or hours east of Greenwich; psql takes what else PostgreSQL does"));
    }

    private static String unquoted(String value) {
        boolean isQuoted = value.length() > 1 && (value.startsWith("'") && value.endsWith("'")
                || value.startsWith("\"") && value.endsWith("\""));
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }

    private static Answer shown(String parameter, String zone) {
        if (parameter.equalsIgnoreCase("ALL")) {
            return Answer.of(List.of(column("name"), column("setting"), column("description")), List.<String[]>of(
                    new String[] {"TimeZone", zone, "The zone by whose clocks timestamptz is read and shown."}));
        }
        if (!ZONE.matcher(parameter).matches()) {
            throw new DaedalusException(DaedalusException.Category.REJECTED, "42704",
                    "unrecognized configuration parameter \"" + unquoted(parameter) + "\"; here there is TimeZone "
                            + "alone, at PostgreSQL's port (psql) the others");
        }
        return Answer.of(List.of(column("TimeZone")), List.<String[]>of(new String[] {zone}));
    }

    private static ResultColumn column(String name) {
        return new ResultColumn(name, TEXT);
    }

    private static String bare(String sql) {
        return Words.withoutComments(sql).strip().replaceFirst("\\s*;$", "");
    }
}
