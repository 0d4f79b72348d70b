package org.daedalus.cli.sql;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.cli.CliException;

/**
 * Cuts SQL text into statements at the semicolons that are not inside quotes, dollar quotes or comments. Knows
 * PostgreSQL's
 * lexical rules and no grammar. Fed line by line, it gives each statement as soon as its semicolon has been seen, and
 * says what is still open.
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
    private int parentheses;
    private String dollarTag = "";
    private int line = 1;
    private int firstLine;

    /** Takes one line, its end included, and returns the statements it completes. */
    List<Statement> feed(String text) throws CliException {
        List<Statement> complete = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int taken = step(text, at, complete);
            if (taken > 0) {
                statement.append(text, at, at + taken);
                for (int end = at + taken; at < end; at++) {
                    line += text.charAt(at) == '\n' ? 1 : 0;
                }
            } else {
                at++; // The semicolon; not part of the statement.
            }
        }
        if (statement.length() > STATEMENT_SIZE_MAX) {
            throw CliException.usage("a statement exceeds " + STATEMENT_SIZE_MAX + " characters");
        }
        return complete;
    }

    /** Returns the statement that was not ended by a semicolon; empty when there is none. */
    List<Statement> finish() {
        List<Statement> complete = new ArrayList<>();
        end(complete);
        state = State.PLAIN;
        return complete;
    }

    /** Says whether nothing has begun, so that the next text begins a statement. */
    boolean isBetweenStatements() {
        return state == State.PLAIN && !hasContent;
    }

    /**
     * Names what has been begun and is not finished, as psql's prompts show it: a quote, * for a comment, $ for a
     * dollar-quoted string, ( for a parenthesis, - for a statement; nothing between statements.
     */
    String open() {
        return switch (state) {
            case QUOTED, ESCAPE_QUOTED -> "'";
            case IDENTIFIER -> "\"";
            case COMMENT -> "*";
            case DOLLAR_QUOTED -> "$";
            default -> !hasContent ? "" : parentheses > 0 ? "(" : "-";
        };
    }

    /** Characters that belong together at {@code at}; 0 for the semicolon that ends a statement. */
    private int step(String line, int at, List<Statement> complete) {
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

    private int plainStep(String line, int at, char c, List<Statement> complete) {
        if (c == ';') {
            end(complete);
            return 0;
        }
        if (line.startsWith("--", at)) {
            int end = at;
            while (end < line.length() && line.charAt(end) != '\n' && line.charAt(end) != '\r') {
                end++;
            }
            return end - at;
        }
        if (line.startsWith("/*", at)) {
            state = State.COMMENT;
            commentDepth = 1;
            return 2;
        }
        if (!hasContent && !Character.isWhitespace(c)) {
            hasContent = true;
            firstLine = this.line;
        }
        switch (c) {
            case '(' -> parentheses++;
            case ')' -> parentheses--;
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

    private void end(List<Statement> complete) {
        if (hasContent) {
            complete.add(new Statement(statement.toString().strip(), firstLine));
        }
        statement.setLength(0);
        hasContent = false;
        parentheses = 0;
    }

    /** Says whether the quote at {@code at} follows an E that is a word of its own. */
    private static boolean isEscapePrefix(String line, int at) {
        return at > 0 && (line.charAt(at - 1) == 'E' || line.charAt(at - 1) == 'e')
                && (at == 1 || !isIdentifierPart(line.charAt(at - 2)));
    }

    /** Returns the opening $tag$ at {@code at}, or null when this is none. */
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
