package org.daedalus.cli.sql;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.daedalus.cli.CliException;
import org.daedalus.output.StatementOutput;
import org.daedalus.output.StatementOutput.Format;
import org.daedalus.output.Style;
import org.daedalus.output.Style.Expanded;

/** Says how answers are shown: as the options say at first, and backslash commands later. */
final class Settings {
    private Format format = Format.TABLE;
    private boolean tuplesOnly;
    private Expanded expanded = Expanded.AUTO;
    private String nullText;
    private boolean timing = true;
    private boolean pager = true;
    private SessionZone zone = SessionZone.UTC;

    /** Returns the output for one statement. */
    StatementOutput open(PrintStream out, Target target) {
        return format.open(out, System.err, new Style(tuplesOnly, expanded, nullText, timing, target::width));
    }

    /** Returns the names of all formats, as users write them. */
    static String formatNames() {
        return Arrays.stream(Format.values()).map(Settings::nameOf).collect(Collectors.joining(", "));
    }

    static Format parseFormat(String name) throws CliException {
        for (Format each : Format.values()) {
            if (nameOf(each).equals(name.toLowerCase(Locale.ROOT)) || name.equals("aligned") && each == Format.TABLE) {
                return each;
            }
        }
        throw CliException.usage("the format must be one of " + formatNames() + ", not '" + name + "'");
    }

    static String nameOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    Format format() {
        return format;
    }

    void setFormat(Format value) {
        format = value;
    }

    boolean tuplesOnly() {
        return tuplesOnly;
    }

    void setTuplesOnly(boolean value) {
        tuplesOnly = value;
    }

    Expanded expanded() {
        return expanded;
    }

    void setExpanded(Expanded value) {
        expanded = value;
    }

    /** Returns the text that stands for NULL; null: the format's own. */
    String nullText() {
        return nullText;
    }

    void setNullText(String value) {
        nullText = value;
    }

    boolean timing() {
        return timing;
    }

    void setTiming(boolean value) {
        timing = value;
    }

    /** Returns the zone by whose clocks timestamptz values are read and shown. */
    SessionZone zone() {
        return zone;
    }

    void setZone(SessionZone value) {
        zone = value;
    }

    boolean pager() {
        return pager;
    }

    void setPager(boolean value) {
        pager = value;
    }
}
