package org.daedalus.workload;

/**
 * Takes the values of one row after the other, in the order of {@link Column}.
 */
public interface RowWriter {
    void nothing();

    void flag(boolean value);

    void number(long value);

    /** Takes a number with two decimals, in hundredths. */
    void money(long hundredths);

    /** Takes a date in days since 1970-01-01. */
    void date(int day);

    /** Takes a timestamp in seconds since 1970-01-01. */
    void timestamp(long second);

    void text(String value);

    void character(char value);

    void endOfRow();
}
