package org.daedalus.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts SQL text into statements at the semicolons that are not inside quotes, dollar quotes or comments. Knows
 * PostgreSQL's
 * lexical rules and no grammar. Fed line by line, it gives each statement as soon as its semicolon has been seen.
 */
final class StatementSplitter {
    /** Longest statement, characters. */
    static final int STATEMENT_SIZE_MAX = 16 << 20;

    private enum State {
        PLAIN, QUOTED, ESCAPE_QUOTED, IDENTIFIER, COMMENT, DOLLAR_QUOTED
    }

    private final StringBuilder statement = new StringBuilder();
    private State state = State.PLAIN;
    private boolean hasContent;
    private int commentDepth;
    private String dollarTag = "";

    /** Takes one line, its end included, and returns the statements it completes. */
    List<String> feed(String line) throws CliException {
        List<String> complete = new ArrayList<>();
        int at = 0;
        while (at < line.length()) {
            int taken = step(line, at, complete);
            if (taken > 0) {
                statement.append(line, at, at + taken);
                at += taken;
            } else {
                at++; // The semicolon; not part of the statement.
            }
        }
        if (statement.length() > STATEMENT_SIZE_MAX) {
            throw CliException.usage("a statement exceeds " + STATEMENT_SIZE_MAX + " characters");
        }
        return complete;
    }

    /** The statement that was not ended by a semicolon; empty when there is none. */
    List<String> finish() {
        List<String> complete = new ArrayList<>();
        end(complete);
        state = State.PLAIN;
        return complete;
    }

    /** Characters that belong together at {@code at}; 0 for the semicolon that ends a statement. */
    private int step(String line, int at, List<String> complete) {
        char c = line.charAt(at);
        switch (state) {
            case QUOTED, IDENTIFIER -> {
                state = c == (state == State.QUOTED ? '\'' : '"') ? State.PLAIN : state;
                return 1;
            }
            case ESCAPE_QUOTED -> {
                if (c == '\\' && at + 1 < line.length()) {
                    return 2;
                }
                state = c == '\'' ? State.PLAIN : state;
                return 1;
            }
            case COMMENT -> {
                boolean opens = line.startsWith("/*", at);
                boolean closes = line.startsWith("*/", at);
                commentDepth += opens ? 1 : closes ? -1 : 0;
                state = commentDepth == 0 ? State.PLAIN : state;
                return opens || closes ? 2 : 1;
            }
            case DOLLAR_QUOTED -> {
                if (line.startsWith(dollarTag, at)) {
                    state = State.PLAIN;
                    return dollarTag.length();
                }
                return 1;
            }
            default -> {
                return plainStep(line, at, c, complete);
            }
        }
    }

    private int plainStep(String line, int at, char c, List<String> complete) {
        if (c == ';') {
            end(complete);
            return 0;
        }
        if (line.startsWith("--", at)) {
            int end = line.indexOf('\n', at);
            return (end < 0 ? line.length() : end) - at;
        }
        if (line.startsWith("/*", at)) {
            state = State.COMMENT;
            commentDepth = 1;
            return 2;
        }
        hasContent |= !Character.isWhitespace(c);
        switch (c) {
            case '\'' -> state = isEscapePrefix(line, at) ? State.ESCAPE_QUOTED : State.QUOTED;
            case '"' -> state = State.IDENTIFIER;
            case '$' -> {
                String tag = dollarTag(line, at);
                if (tag != null) {
                    dollarTag = tag;
                    state = State.DOLLAR_QUOTED;
                    return tag.length();
                }
            }
            default -> {
                return 1;
            }
        }
        return 1;
    }

    private void end(List<String> complete) {
        if (hasContent) {
            complete.add(statement.toString().strip());
        }
        statement.setLength(0);
        hasContent = false;
    }

    /** Whether the quote at {@code at} follows an E that is a word of its own. */
    private static boolean isEscapePrefix(String line, int at) {
        return at > 0 && (line.charAt(at - 1) == 'E' || line.charAt(at - 1) == 'e')
                && (at == 1 || !isIdentifierPart(line.charAt(at - 2)));
    }

    /** The opening $tag$ at {@code at}, or null when this is none. */
    private static String dollarTag(String line, int at) {
        if (at > 0 && isIdentifierPart(line.charAt(at - 1))) {
            return null;
        }
        int end = at + 1;
        while (end < line.length() && isIdentifierPart(line.charAt(end)) && line.charAt(end) != '$') {
            end++;
        }
        boolean closed = end < line.length() && line.charAt(end) == '$';
        boolean startsWithDigit = end > at + 1 && Character.isDigit(line.charAt(at + 1));
        return closed && !startsWithDigit ? line.substring(at, end + 1) : null;
    }

    private static boolean isIdentifierPart(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c >= 0x80;
    }
}
