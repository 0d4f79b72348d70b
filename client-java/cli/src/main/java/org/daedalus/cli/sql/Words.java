package org.daedalus.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Looks at the beginning of statements, and splits the arguments of backslash commands; knows no grammar. */
final class Words {
    private Words() {}

    /** Returns the statement without the blanks and comments in front of it. */
    static String withoutComments(String sql) {
        int at = 0;
        while (at < sql.length()) {
            if (Character.isWhitespace(sql.charAt(at))) {
                at++;
            } else if (sql.startsWith("--", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end;
            } else if (sql.startsWith("/*", at)) {
                at = endOfComment(sql, at);
            } else {
                break;
            }
        }
        return sql.substring(at);
    }

    /** Returns the first word of a statement in small letters; empty where it does not begin with one. */
    static String first(String sql) {
        String text = withoutComments(sql);
        int end = 0;
        while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
            end++;
        }
        return text.substring(0, end).toLowerCase(Locale.ROOT);
    }

    /** Words between blanks; what stands in single quotes is one word without them. */
    static List<String> split(String text) {
        List<String> words = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            if (Character.isWhitespace(text.charAt(at))) {
                at++;
                continue;
            }
            boolean quoted = text.charAt(at) == '\'';
            int end = quoted ? text.indexOf('\'', at + 1) : endOfWord(text, at);
            end = end < 0 ? text.length() : end;
            words.add(text.substring(quoted ? at + 1 : at, end));
            at = quoted ? end + 1 : end;
        }
        return words;
    }

    private static int endOfWord(String text, int from) {
        int at = from;
        while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Returns where the comment that starts at {@code from}, with those nested in it, ends. */
    private static int endOfComment(String sql, int from) {
        int depth = 0;
        int at = from;
        while (at < sql.length()) {
            boolean opens = sql.startsWith("/*", at);
            boolean closes = sql.startsWith("*/", at);
            depth += opens ? 1 : closes ? -1 : 0;
            at += opens || closes ? 2 : 1;
            if (depth == 0) {
                break;
            }
        }
        return at;
    }
}
