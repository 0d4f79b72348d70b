package org.daedalus.cli.load;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Says how a file writes its records and the values in them.
 *
 * @param delimiter between fields
 * @param comment a line that begins with it is no record; NONE: there are no such lines
 * @param encoding of the whole file
 * @param hasDecimalComma numbers have a comma where PostgreSQL has a point
 * @param dateFormats patterns of DateTimeFormatter that dates and timestamps are written in; none: as PostgreSQL reads
 *     them
 */
record CsvFormat(char delimiter, int comment, Charset encoding, boolean hasDecimalComma, List<String> dateFormats) {
    /** Stands in the place of a character that begins comments where there is none. */
    static final int NONE = -1;

    /** Returns the format of RFC 4180, with another delimiter. */
    static CsvFormat of(char delimiter) {
        return new CsvFormat(delimiter, NONE, StandardCharsets.UTF_8, false, List.of());
    }

    /** Writes as options what is not as it is by itself. */
    String asOptions() {
        StringBuilder options = new StringBuilder();
        if (delimiter != ',') {
            options.append(" --delimiter '").append(delimiter == '\t' ? "\\t" : delimiter).append('\'');
        }
        if (comment != NONE) {
            options.append(" --comment '").append((char) comment).append('\'');
        }
        if (!encoding.equals(StandardCharsets.UTF_8)) {
            options.append(" --encoding ").append(encoding.name());
        }
        options.append(hasDecimalComma ? " --decimal-comma" : "");
        dateFormats.forEach(pattern -> options.append(" --date-format '").append(pattern).append('\''));
        return options.toString();
    }
}
