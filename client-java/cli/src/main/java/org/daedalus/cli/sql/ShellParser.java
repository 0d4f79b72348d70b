package org.daedalus.cli.sql;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.daedalus.cli.CliException;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.SyntaxError;

/** Tells the line editor whether a text is complete, and which word the cursor is in. */
final class ShellParser implements Parser {
    private static final Pattern GO = Pattern.compile("\\\\(g|gx|G)\\s*$");

    /** Says whether the answer is to be shown one column a line. */
    static boolean endsExpanded(String text) {
        Matcher go = GO.matcher(text);
        return go.find() && !go.group(1).equals("g");
    }

    /** Returns the text with a semicolon in place of \g, \gx or \G. */
    static String withSemicolon(String text) {
        Matcher go = GO.matcher(text);
        return !isCommand(text) && go.find() ? text.substring(0, go.start()) + ";" : text;
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) throws SyntaxError {
        if (context != ParseContext.COMPLETE) {
            String open = open(line);
            if (!open.isEmpty()) {
                throw new EOFError(-1, -1, "the statement goes on", open);
            }
        }
        int start = cursor;
        while (start > 0 && isWordPart(line.charAt(start - 1))) {
            start--;
        }
        return new Word(line, cursor, line.substring(start, cursor));
    }

    /** Returns what has to come before the text can be run; empty: it can be. */
    private static String open(String text) {
        String word = text.strip();
        if (isCommand(text) || word.equals("help") || word.equals("quit") || word.equals("exit")) {
            return "";
        }
        try {
            StatementSplitter splitter = new StatementSplitter();
            splitter.feed(withSemicolon(text));
            return splitter.open();
        } catch (CliException e) {
            return ""; // Too long: whoever runs it says so.
        }
    }

    private static boolean isCommand(String text) {
        return text.stripLeading().startsWith("\\");
    }

    private static boolean isWordPart(char c) {
        return Character.isJavaIdentifierPart(c) || c == '\\' || c == '/' || c == '.' || c == '?';
    }

    @Override
    public boolean isEscapeChar(char c) {
        return false;
    }

    /** The word before the cursor. */
    private record Word(String line, int cursor, String word) implements CompletingParsedLine {
        /** Escapes nothing: names that need quotes are written with them. */
        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return wordCursor();
        }

        @Override
        public int rawWordLength() {
            return word.length();
        }

        @Override
        public int wordCursor() {
            return word.length();
        }

        @Override
        public int wordIndex() {
            return 0;
        }

        @Override
        public List<String> words() {
            return List.of(word);
        }
    }
}
