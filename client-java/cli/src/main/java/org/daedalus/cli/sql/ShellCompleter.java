package org.daedalus.cli.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.daedalus.cli.CliException;
import org.daedalus.client.TableDescription;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/**
 * Offers the words that may come next: the table, columns, functions, keywords in the case they are begun in, commands,
 * files. They come in this order: the table's own words are looked for most, and there are hundreds of functions.
 */
final class ShellCompleter implements Completer {
    private static final int FILES_MAX = 200;

    private final TableDescription table;
    private final List<String> commands;

    ShellCompleter(TableDescription table, List<String> commands) {
        this.table = table;
        this.commands = commands;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        String word = line.word();
        String before = line.line().substring(0, line.cursor() - word.length());
        int place = 0;
        for (String each : wordsAfter(before, word)) {
            boolean goesOn = each.endsWith("(") || each.endsWith("/");
            candidates.add(new Candidate(each, each, null, null, null, null, !goesOn, place++));
        }
    }

    /** Everything that may follow {@code before}, for somebody who has begun to write {@code word}. */
    List<String> wordsAfter(String before, String word) {
        String command = before.strip();
        if (command.isEmpty() && word.startsWith("\\")) {
            return commands;
        }
        if (command.startsWith("\\")) {
            return afterCommand(command, word);
        }
        if (isInsideQuotes(before)) {
            return List.of();
        }
        List<String> words = new ArrayList<>();
        switch (lastWord(before)) {
            case "" -> keywords(SqlHelp.STATEMENTS, word, words);
            case "from", "into", "update", "describe" -> words.add(table.tableName());
            case "group", "order" -> keywords(new String[] {"BY"}, word, words);
            case "delete" -> keywords(new String[] {"FROM"}, word, words);
            case "insert" -> keywords(new String[] {"INTO"}, word, words);
            default -> {
                table.columns().forEach(column -> words.add(column.name()));
                FunctionList.names().stream().map(name -> name + "(").forEach(words::add);
                keywords(SqlHelp.KEYWORDS, word, words);
            }
        }
        return words;
    }

    private List<String> afterCommand(String command, String word) {
        return switch (command) {
            case "\\d" -> List.of(table.tableName());
            case "\\h" -> Arrays.asList(SqlHelp.STATEMENTS);
            case "\\df" -> FunctionList.names();
            case "\\x" -> List.of("on", "off", "auto");
            case "\\t", "\\timing", "\\pset pager" -> List.of("on", "off");
            case "\\pset" -> List.of("null", "format", "pager", "expanded", "tuples_only");
            case "\\pset format" -> Arrays.asList(Settings.formatNames().split(", "));
            case "\\i", "\\o" -> files(word);
            default -> List.of();
        };
    }

    /** Keywords are offered in small letters to whoever has begun with small letters. */
    private static void keywords(String[] all, String word, List<String> words) {
        boolean small = !word.isEmpty() && word.equals(word.toLowerCase(Locale.ROOT));
        Arrays.stream(all).map(each -> small ? each.toLowerCase(Locale.ROOT) : each).forEach(words::add);
    }

    /** Returns the word before the one that is being written, in the same statement; empty: there is none. */
    private static String lastWord(String before) {
        String text = before.substring(before.lastIndexOf(';') + 1).stripTrailing();
        int start = text.length();
        while (start > 0 && Character.isJavaIdentifierPart(text.charAt(start - 1))) {
            start--;
        }
        String word = text.substring(start).toLowerCase(Locale.ROOT);
        return word.isEmpty() && !text.isBlank() ? text.substring(text.length() - 1) : word;
    }

    private static boolean isInsideQuotes(String before) {
        try {
            StatementSplitter splitter = new StatementSplitter();
            splitter.feed(before);
            return "'*$".contains(splitter.open()) && !splitter.open().isEmpty();
        } catch (CliException e) {
            return true;
        }
    }

    private static List<String> files(String word) {
        String directory = word.substring(0, word.lastIndexOf('/') + 1);
        try (Stream<Path> files = Files.list(Path.of(directory.isEmpty() ? "." : directory))) {
            return files.limit(FILES_MAX)
                    .map(file -> directory + file.getFileName() + (Files.isDirectory(file) ? "/" : "")).toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of();
        }
    }
}
