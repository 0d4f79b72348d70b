package org.daedalus.cli.load;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.daedalus.cli.CliException;
import picocli.CommandLine.Option;

/** Collects what the command line says of how a file is written. */
final class CsvFormatOptions {
    @Option(names = "--delimiter", paramLabel = "C", defaultValue = ",",
            description = "the character between fields; tab or \\t is a tab (default: ${DEFAULT-VALUE})")
    private String delimiter;

    @Option(names = "--encoding", paramLabel = "NAME", defaultValue = "UTF-8", description = "the file's character "
            + "set, for example cp1252 or ISO-8859-1 (default: ${DEFAULT-VALUE})")
    private String encoding;

    @Option(names = "--comment", paramLabel = "C", description = "lines that begin with this character are no records")
    private String comment;

    @Option(names = "--decimal-comma", description = "numbers with a fraction have a comma where others have a point; "
            + "a point in them is a mistake then")
    private boolean hasDecimalComma;

    @Option(names = "--date-format", paramLabel = "PATTERN", description = "how dates and timestamps are written, for "
            + "example dd.MM.yyyy or 'dd/MM/yyyy[ HH:mm[:ss]]': letters as in java.time.format.DateTimeFormatter, "
            + "what may be missing in brackets; yy is 1970 to 2069. May be repeated; the first that fits counts")
    private List<String> dateFormats = new ArrayList<>();

    CsvFormat format() throws CliException {
        char between = delimiter(delimiter);
        int begins = comment == null ? CsvFormat.NONE : comment(comment);
        if (begins == between) {
            throw CliException.usage("--comment and --delimiter are both '" + comment + "': choose another --comment");
        }
        for (String pattern : dateFormats) {
            DateForm.check(pattern);
        }
        return new CsvFormat(between, begins, charset(encoding), hasDecimalComma, List.copyOf(dateFormats));
    }

    private static char delimiter(String text) throws CliException {
        String lower = text.toLowerCase(Locale.ROOT);
        char found = lower.equals("tab") || text.equals("\\t") ? '\t' : text.length() == 1 ? text.charAt(0) : 0;
        boolean isPlain = found == '\t' || found >= ' ' && found < 0x7f && found != '"';
        if (!isPlain) {
            throw CliException.usage("--delimiter must be one ASCII character other than a quote or a line end, or tab,"
                    + " not '" + text + "'");
        }
        return found;
    }

    private static int comment(String text) throws CliException {
        char found = text.length() == 1 ? text.charAt(0) : 0;
        if (found <= ' ' || found >= 0x7f || found == '"') {
            throw CliException.usage("--comment must be one ASCII character other than a quote or a blank, not '"
                    + text + "'");
        }
        return found;
    }

    private static Charset charset(String name) throws CliException {
        try {
            return Charset.forName(name);
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--encoding " + name + " is no character set that Java knows: names are for "
                    + "example UTF-8, UTF-16, ISO-8859-1, cp1252, cp850, Shift_JIS");
        }
    }
}
