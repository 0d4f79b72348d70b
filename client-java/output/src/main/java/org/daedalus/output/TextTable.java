package org.daedalus.output;

import java.util.List;

/**
 * Text in aligned columns under a head. A cell of several lines takes several lines of the table, each but the last
 * with a + behind it.
 */
public final class TextTable {
    private final String[] head;
    private final Boolean[] rightAligned;
    private final int[] widths;

    public TextTable(String[] head, Boolean[] rightAligned) {
        this.head = head;
        this.rightAligned = rightAligned;
        this.widths = new int[head.length];
    }

    /** Head and rows, as wide as these rows need. */
    public void render(List<String[]> rows, StringBuilder text) {
        fit(rows);
        renderHead(text);
        rows.forEach(row -> renderRow(row, text));
    }

    /** Makes columns as wide as the head and these rows need. */
    void fit(List<String[]> rows) {
        widen(head);
        rows.forEach(this::widen);
    }

    /** Columns that a line takes, once it has been fitted. */
    int width() {
        int width = 1 + head.length; // A blank at either end of the line, a bar between cells.
        for (int column : widths) {
            width += column;
        }
        return width + Math.max(0, head.length - 1) * 2;
    }

    void renderHead(StringBuilder text) {
        renderLines(head, column -> false, text);
        for (int column = 0; column < head.length; column++) {
            text.append(column == 0 ? "-" : "-+-").append("-".repeat(widths[column]));
        }
        text.append("-\n");
    }

    public void renderRow(String[] cells, StringBuilder text) {
        renderLines(cells, column -> rightAligned[column], text);
    }

    private interface Alignment {
        boolean isRight(int column);
    }

    private void renderLines(String[] cells, Alignment alignment, StringBuilder text) {
        if (!hasLineEnd(cells)) {
            renderLine(cells, null, alignment, text);
            return;
        }
        String[][] lines = new String[cells.length][];
        int height = 1;
        for (int column = 0; column < cells.length; column++) {
            lines[column] = cells[column].split("\n", -1);
            height = Math.max(height, lines[column].length);
        }
        String[] line = new String[cells.length];
        boolean[] goesOn = new boolean[cells.length];
        for (int at = 0; at < height; at++) {
            for (int column = 0; column < cells.length; column++) {
                line[column] = at < lines[column].length ? lines[column][at] : "";
                goesOn[column] = at + 1 < lines[column].length;
            }
            renderLine(line, goesOn, alignment, text);
        }
    }

    /** Writes one line of cells; {@code goesOn} says which of them go on in the next line, null: none. */
    private void renderLine(String[] cells, boolean[] goesOn, Alignment alignment, StringBuilder text) {
        for (int column = 0; column < cells.length; column++) {
            boolean last = column == cells.length - 1;
            String cell = DisplayWidth.printable(cells[column]);
            boolean more = goesOn != null && goesOn[column];
            String blanks = " ".repeat(Math.max(0, widths[column] - DisplayWidth.of(cell)));
            boolean right = alignment.isRight(column);
            text.append(column == 0 ? " " : "| ").append(right ? blanks : "").append(cell)
                    .append(right || last && !more ? "" : blanks).append(more ? "+" : last ? "" : " ");
        }
        text.append('\n');
    }

    private static boolean hasLineEnd(String[] cells) {
        for (String cell : cells) {
            if (cell.indexOf('\n') >= 0) {
                return true;
            }
        }
        return false;
    }

    private void widen(String[] cells) {
        for (int column = 0; column < cells.length; column++) {
            String cell = DisplayWidth.printable(cells[column]);
            int start = 0;
            for (int end = cell.indexOf('\n'); end >= 0; end = cell.indexOf('\n', start)) {
                widths[column] = Math.max(widths[column], DisplayWidth.of(cell.substring(start, end)));
                start = end + 1;
            }
            widths[column] = Math.max(widths[column], DisplayWidth.of(cell.substring(start)));
        }
    }
}
