package org.daedalus.writer.journal;

import java.util.Locale;
import java.util.regex.Pattern;

/** Names a journal's files; sorted by name they are in order. */
final class JournalNames {
    private static final Pattern FILE = Pattern.compile("journal-\\d{12}\\.log");
    private static final Pattern UNFINISHED = Pattern.compile("journal-\\d{12}\\.new");

    private JournalNames() {}

    static String of(long file) {
        return String.format(Locale.ROOT, "journal-%012d.log", file);
    }

    /** Names a file until its header is durable. */
    static String unfinished(long file) {
        return String.format(Locale.ROOT, "journal-%012d.new", file);
    }

    static boolean isFile(String name) {
        return FILE.matcher(name).matches();
    }

    static boolean isUnfinished(String name) {
        return UNFINISHED.matcher(name).matches();
    }
}
