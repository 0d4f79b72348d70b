package org.daedalus.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Lists the functions and aggregates that are answered, for \df and for completion, as the compiler knows them. */
final class FunctionList {
    /** Several overloads with one result: what each takes, and what all give. */
    record Function(String name, String takes, String gives) {}

    private static final String RESOURCE = "functions.tsv";
    private static final List<Function> ALL = read();

    private FunctionList() {}

    /** Names of functions and aggregates, each once, ascending. */
    static List<String> names() {
        return ALL.stream().map(Function::name).distinct().sorted().toList();
    }

    /** Returns a line for each function whose name matches: a star stands for anything. Empty: for all of them. */
    static String about(String pattern) {
        String expression = Arrays.stream((pattern.isEmpty() ? "*" : pattern).toLowerCase(Locale.ROOT).split("\\*", -1))
                .map(Pattern::quote).collect(Collectors.joining(".*"));
        Pattern wanted = Pattern.compile(expression);
        String lines = ALL.stream().filter(each -> wanted.matcher(each.name()).matches())
                .map(each -> String.format("%-18s %-18s %s", each.name(), each.gives(), each.takes()))
                .collect(Collectors.joining("\n"));
        return lines.isEmpty() ? "there is no function " + pattern : lines;
    }

    private static List<Function> read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                FunctionList.class.getResourceAsStream(RESOURCE), StandardCharsets.UTF_8))) {
            return lines.lines().map(line -> line.split("\t", -1))
                    .map(fields -> new Function(fields[0], fields[1], fields[2])).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
