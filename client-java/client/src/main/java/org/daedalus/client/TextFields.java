package org.daedalus.client;

/**
 * One record of text fields, as bytes that are meant to be UTF-8, for {@link RowPacker}. A field's bytes are read
 * before the next one is asked for.
 */
public interface TextFields {
    int fieldCount();

    /** The array that has the field, from {@link #start} to {@link #end}. */
    byte[] bytes(int field);

    int start(int field);

    int end(int field);

    /** Whether the field stood in quotes: then it is not NULL, whatever it says. */
    boolean isQuoted(int field);
}
