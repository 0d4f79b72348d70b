package org.daedalus.client;

/**
 * One record of text fields, as bytes that are meant to be UTF-8, for {@link RowPacker}. A field's bytes are read
 * before the next one is asked for.
 *
 * @hidden for the command line: no part of the API, and changed without notice
 */
public interface TextFields {
    /** Returns the record's fields. */
    int fieldCount();

    /** Returns the array that has the field, from {@link #start} to {@link #end}. */
    byte[] bytes(int field);

    /** Returns where the field's bytes begin. */
    int start(int field);

    /** Returns where the field's bytes end. */
    int end(int field);

    /** Says whether the field stood in quotes: then it is not NULL, whatever it says. */
    boolean isQuoted(int field);
}
