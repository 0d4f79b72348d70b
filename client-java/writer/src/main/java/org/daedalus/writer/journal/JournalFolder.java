package org.daedalus.writer.journal;

import java.io.IOException;
import java.util.List;

/**
 * The folder of a journal's files: all that a journal wants of a file system, so that tests can give it a worse one.
 */
public interface JournalFolder {
    /** Names of all files, in any order. */
    List<String> names() throws IOException;

    /** Returns a new, empty file. Fails when there is one of that name. */
    JournalFile create(String name) throws IOException;

    /** Returns a file to be read. */
    JournalFile open(String name) throws IOException;

    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** Makes the names survive a loss of power as they are. */
    void force() throws IOException;

    /** The file as whoever has to look after it would find it. */
    String describe(String name);
}
