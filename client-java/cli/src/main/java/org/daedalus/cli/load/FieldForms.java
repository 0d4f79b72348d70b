package org.daedalus.cli.load;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.daedalus.client.TextFields;
import org.daedalus.wire.ColumnType.Kind;

/**
 * The fields of a record as PostgreSQL spells their values, where a file has numbers or dates of another form. Fields
 * that are NULL, and those of other columns, are as they stand.
 */
final class FieldForms implements TextFields {
    /** {@link #read} returns this where every field is of the form it should be. */
    static final int ALL_RIGHT = -1;

    private final Kind[] kinds;
    private final boolean hasDecimalComma;
    /** Without a form, which is null then, dates are as they should be. */
    private final DateForm dates;
    private final String datePatterns;
    private final String nullText;
    private final byte[][] rewritten;
    private CsvSplitter fields;
    private String problem;

    FieldForms(CsvHeader header, CsvFormat format, String nullText) {
        this.kinds = header.kinds();
        this.hasDecimalComma = format.hasDecimalComma();
        this.dates = format.dateFormats().isEmpty() ? null : new DateForm(format.dateFormats());
        this.datePatterns = String.join(" or ", format.dateFormats());
        this.nullText = nullText;
        this.rewritten = new byte[kinds.length][];
    }

    /** Reads a record with as many fields as the header has: ALL_RIGHT, or which field {@link #problem} is about. */
    int read(CsvSplitter record) {
        fields = record;
        if (!hasDecimalComma && dates == null) {
            return ALL_RIGHT;
        }
        for (int field = 0; field < kinds.length; field++) {
            rewritten[field] = null;
            if (isRewritten(kinds[field]) && !isNull(field)) {
                String text = rewrite(new String(record.copy(field), StandardCharsets.UTF_8), kinds[field]);
                if (text == null) {
                    return field;
                }
                rewritten[field] = text.getBytes(StandardCharsets.UTF_8);
            }
        }
        return ALL_RIGHT;
    }

    /** Says whether values of such a column may be spelled otherwise. */
    private boolean isRewritten(Kind kind) {
        if (kind == null) {
            return false;
        }
        return switch (kind) {
            case NUMERIC, REAL, DOUBLE -> hasDecimalComma;
            case DATE, TIMESTAMP, TIMESTAMPTZ -> dates != null;
            default -> false;
        };
    }

    private boolean isNull(int field) {
        int size = fields.end(field) - fields.start(field);
        return !fields.isQuoted(field) && (size == 0 || nullText != null && Arrays.equals(fields.copy(field),
                nullText.getBytes(StandardCharsets.UTF_8)));
    }

    private String rewrite(String text, Kind kind) {
        boolean isDay = kind == Kind.DATE || kind == Kind.TIMESTAMP || kind == Kind.TIMESTAMPTZ;
        String found = isDay ? dates.rewritten(text, kind) : withPoint(text);
        if (found == null) {
            problem = "\"" + text + "\" is " + (isDay ? "no date of the form " + datePatterns + " [22007]"
                    : "no number with a decimal comma: it has a point [22P02]");
        }
        return found;
    }

    /** Returns the number with a decimal point in place of its comma; null where it has a point. */
    static String withPoint(String text) {
        return text.indexOf('.') >= 0 ? null : text.replace(',', '.');
    }

    String problem() {
        return problem;
    }

    @Override
    public int fieldCount() {
        return fields.fieldCount();
    }

    @Override
    public byte[] bytes(int field) {
        return rewritten[field] == null ? fields.bytes(field) : rewritten[field];
    }

    @Override
    public int start(int field) {
        return rewritten[field] == null ? fields.start(field) : 0;
    }

    @Override
    public int end(int field) {
        return rewritten[field] == null ? fields.end(field) : rewritten[field].length;
    }

    @Override
    public boolean isQuoted(int field) {
        return fields.isQuoted(field);
    }
}
