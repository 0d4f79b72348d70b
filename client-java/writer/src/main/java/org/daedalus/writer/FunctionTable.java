package org.daedalus.writer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Knows the functions and forms that nodes know, which kinds may become which, and how large an expression may be, from
 * the file that {@code tools/functions_page.py} writes from the nodes' own tables. Kinds are the numbers of the wire.
 */
final class FunctionTable {
    /**
     * A function.
     *
     * @param isExact it comes out the same on each machine
     * @param takesAny it takes one value or more of any kinds behind its arguments
     */
    record Function(String name, List<Integer> arguments, int result, boolean isExact, boolean takesAny) {
        boolean takes(List<Integer> given) {
            int count = arguments.size();
            return takesAny ? given.size() > count && given.subList(0, count).equals(arguments)
                    : given.equals(arguments);
        }
    }

    private record Change(int from, int to) {}

    private static final FunctionTable ONLY = read();

    private final Map<Integer, Function> functions = new HashMap<>();
    private final Map<Integer, String> forms = new HashMap<>();
    private final Map<String, Integer> limits = new HashMap<>();
    private final Set<Change> casts = new HashSet<>();
    private final Set<Change> assignments = new HashSet<>();
    private final List<Long> languageHashes = new ArrayList<>();
    private final Map<Language.Number, Integer> later = new HashMap<>();

    private Language language;

    private FunctionTable() {}

    static FunctionTable get() {
        return ONLY;
    }

    /** Returns the language of this build. */
    Language language() {
        return language;
    }

    /** Returns this build's table with what these lines add. */
    static FunctionTable with(String... lines) {
        FunctionTable table = read();
        Arrays.stream(lines).map(line -> line.split("\t", -1)).forEach(table::add);
        table.language = new Language(table.languageHashes, table.later);
        return table;
    }

    /** Returns the function with this number; null when there is none. */
    Function function(int number) {
        return functions.get(number);
    }

    /** Says whether calls of this number are forms, which decide by themselves what their arguments are. */
    boolean isForm(int number) {
        return number >= 0 && number < limit("functions from");
    }

    /** Returns the name of the form with this number, "coalesce" say; empty when there is none. */
    String form(int number) {
        return forms.getOrDefault(number, "");
    }

    /** Returns the bound of this name, which must be there. */
    int limit(String name) {
        return limits.get(name);
    }

    boolean canCast(int from, int to) {
        return casts.contains(new Change(from, to));
    }

    boolean canAssign(int from, int to) {
        return assignments.contains(new Change(from, to));
    }

    private static FunctionTable read() {
        FunctionTable table = new FunctionTable();
        try (InputStream file = FunctionTable.class.getResourceAsStream("functions.tsv");
                BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            lines.lines().map(line -> line.split("\t", -1)).forEach(table::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        table.language = new Language(table.languageHashes, table.later);
        return table;
    }

    private void add(String[] fields) {
        switch (fields[0]) {
            case "function" -> functions.put(Integer.parseInt(fields[1]), new Function(fields[2], kinds(fields[3]),
                    Integer.parseInt(fields[4]), fields[5].equals("exact"), fields[6].equals("any")));
            case "form" -> forms.put(Integer.parseInt(fields[1]), fields[2]);
            case "limit" -> limits.put(fields[1], Integer.parseInt(fields[2]));
            case "cast" -> casts.add(change(fields));
            case "assignment" -> assignments.add(change(fields));
            case "language" -> languageHashes.add(Long.parseUnsignedLong(fields[1], 16));
            case "later" -> later.put(new Language.Number(Language.Kind.valueOf(fields[1].toUpperCase(Locale.ROOT)),
                    Integer.parseInt(fields[2])), Integer.parseInt(fields[3]));
            default -> throw new IllegalStateException("functions.tsv has a line of no known kind: " + fields[0]);
        }
    }

    private static List<Integer> kinds(String text) {
        return text.isEmpty() ? List.of() : Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
    }

    private static Change change(String[] fields) {
        return new Change(Integer.parseInt(fields[1]), Integer.parseInt(fields[2]));
    }
}
