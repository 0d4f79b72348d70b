package org.daedalus.cli.load;

import java.io.IOException;

/** Records of text, one after the other, and where in their file they stand. */
interface RecordSource {
    /**
     * Moves to the next record; false at the end.
     *
     * @throws IOException also when what stands there cannot be told into records
     */
    boolean next() throws IOException;

    /** Returns the record's fields; not to be read when there is a {@link #problem}. */
    CsvSplitter fields();

    /** Returns why the text here is no record; null when it is one. Its first line counts as the record then. */
    String problem();

    /** Says whether the record is a blank line. */
    boolean isBlank();

    /** Line the record starts on, from 1. */
    long line();

    /** The record as it stands in the file, without the line end after it. */
    byte[] raw();

    /** Returns where the next record starts. */
    Place nextPlace();

    /** CRC-32C of the file up to the next record. */
    int checksum();

    /**
     * A place between two records of a file.
     *
     * @param offset bytes before it
     * @param line from 1
     */
    record Place(long offset, long line) {}
}
