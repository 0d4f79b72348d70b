package org.daedalus.cli;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.output.DisplayWidth;
import org.daedalus.output.TextTable;

/** Text for a screen of a hundred columns: sentences are folded, and a wide table becomes several below each other. */
final class NarrowText {
    static final int WIDTH = 100;

    /** A column takes so many characters beside its cells. */
    private static final int BESIDE = 3;
    private static final String INDENT = "  ";

    private NarrowText() {}

    /** Appends a sentence and ends its line; what does not fit goes on in further lines, between words. */
    static void sentence(String sentence, StringBuilder text) {
        int column = 0;
        for (String word : sentence.split(" ")) {
            if (column > 0 && column + 1 + word.length() > WIDTH) {
                text.append('\n').append(INDENT);
                column = INDENT.length();
            } else if (column > 0) {
                text.append(' ');
                column++;
            }
            text.append(word);
            column += word.length();
        }
        text.append('\n');
    }

    /**
     * Appends a table, or several of the same rows where it is too wide. Each begins with the key columns.
     *
     * @param keys how many columns, from the first on, tell the rows apart
     * @param textColumns how many columns, from the first on, are aligned to the left
     */
    static void table(String[] head, int keys, int textColumns, List<String[]> rows, StringBuilder text) {
        for (int begin = keys; begin < head.length;) {
            List<Integer> columns = new ArrayList<>();
            int width = 0;
            for (int key = 0; key < keys; key++) {
                columns.add(key);
                width += widthOf(head, key, rows);
            }
            do {
                width += widthOf(head, begin, rows);
                columns.add(begin++);
            } while (begin < head.length && width + widthOf(head, begin, rows) <= WIDTH + 1);
            Boolean[] rightAligned = columns.stream().map(column -> column >= textColumns).toArray(Boolean[]::new);
            text.append('\n');
            new TextTable(pick(head, columns), rightAligned)
                    .render(rows.stream().map(row -> pick(row, columns)).toList(), text);
        }
    }

    private static int widthOf(String[] head, int column, List<String[]> rows) {
        int widest = rows.stream().mapToInt(row -> DisplayWidth.of(row[column])).max().orElse(0);
        return Math.max(DisplayWidth.of(head[column]), widest) + BESIDE;
    }

    private static String[] pick(String[] cells, List<Integer> columns) {
        return columns.stream().map(column -> cells[column]).toArray(String[]::new);
    }
}
