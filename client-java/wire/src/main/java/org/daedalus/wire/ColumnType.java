package org.daedalus.wire;

import java.math.BigDecimal;

/**
 * A column's or value's type.
 *
 * @param precision numeric: 1..38, or 0 for a computed value without bound
 * @param scale numeric: digits after the point
 * @param length char, varchar, text: bytes, or 0 for a computed char or varchar without bound
 */
public record ColumnType(Kind kind, int precision, int scale, int length) {
    /** The numbers are those of the wire. */
    public enum Kind {
        BOOL, SMALLINT, INT, BIGINT, REAL, DOUBLE, NUMERIC, DATE, TIMESTAMP, CHAR, VARCHAR, TEXT,
        /** Computed only. */
        INTERVAL, TIME, UUID, TIMESTAMPTZ
    }

    /** Largest precision of a numeric that fits eight bytes. */
    public static final int SHORT_NUMERIC_PRECISION_MAX = 18;
    /** Largest declared precision of a numeric. */
    public static final int NUMERIC_PRECISION_MAX = 38;
    /** Largest declared length of a string. */
    public static final int STRING_LENGTH_MAX = 4_096;

    /** Largest length of a computed text: what string_agg puts together. */
    public static final int TEXT_LENGTH_MAX = 32_768;

    /** The type of an untyped literal: text that takes the type its place asks for. */
    public static final ColumnType UNTYPED = varcharOf(0);

    public static ColumnType of(Kind kind) {
        return new ColumnType(kind, 0, 0, 0);
    }

    public static ColumnType numericOf(int precision, int scale) {
        return new ColumnType(Kind.NUMERIC, precision, scale, 0);
    }

    public static ColumnType charOf(int length) {
        return new ColumnType(Kind.CHAR, 0, 0, length);
    }

    public static ColumnType varcharOf(int length) {
        return new ColumnType(Kind.VARCHAR, 0, 0, length);
    }

    public boolean isString() {
        return kind == Kind.CHAR || kind == Kind.VARCHAR || kind == Kind.TEXT;
    }

    /** Says whether a number of this numeric type's scale has no more digits than its precision. */
    public boolean holds(BigDecimal number) {
        return precision == 0 || number.signum() == 0 || number.precision() <= precision;
    }

    /** PostgreSQL's spelling. */
    @Override
    public String toString() {
        return switch (kind) {
            case BOOL -> "boolean";
            case SMALLINT -> "smallint";
            case INT -> "integer";
            case BIGINT -> "bigint";
            case REAL -> "real";
            case DOUBLE -> "double precision";
            case NUMERIC -> precision == 0 ? "numeric" : "numeric(" + precision + "," + scale + ")";
            case DATE -> "date";
            case TIMESTAMP -> "timestamp without time zone";
            case TIME -> "time without time zone";
            case UUID -> "uuid";
            case CHAR -> length == 0 ? "character" : "character(" + length + ")";
            case VARCHAR -> length == 0 ? "character varying" : "character varying(" + length + ")";
            case TEXT -> "text";
            case INTERVAL -> "interval";
            case TIMESTAMPTZ -> "timestamp with time zone";
        };
    }
}
