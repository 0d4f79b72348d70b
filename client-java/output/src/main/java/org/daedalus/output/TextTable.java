package org.daedalus.output;

import java.util.List;

/** Text in aligned columns under a head. */
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
        widen(head);
        rows.forEach(this::widen);
        for (int column = 0; column < head.length; column++) {
            text.append(column == 0 ? " " : " | ");
            pad(head[column], column, column == head.length - 1, false, text);
        }
        text.append('\n');
        for (int column = 0; column < head.length; column++) {
            text.append(column == 0 ? "-" : "-+-").append("-".repeat(widths[column]));
        }
        text.append("-\n");
        rows.forEach(row -> renderRow(row, text));
    }

    public void renderRow(String[] cells, StringBuilder text) {
        for (int column = 0; column < cells.length; column++) {
            text.append(column == 0 ? " " : " | ");
            pad(visible(cells[column]), column, column == cells.length - 1, rightAligned[column], text);
        }
        text.append('\n');
    }

    private void widen(String[] cells) {
        for (int column = 0; column < cells.length; column++) {
            widths[column] = Math.max(widths[column], width(visible(cells[column])));
        }
    }

    private void pad(String cell, int column, boolean last, boolean right, StringBuilder text) {
        String blanks = " ".repeat(Math.max(0, widths[column] - width(cell)));
        text.append(right ? blanks : "").append(cell).append(right || last ? "" : blanks);
    }

    /** Line ends and other controls would break the table. */
    private static String visible(String cell) {
        for (int i = 0; i < cell.length(); i++) {
            if (Character.isISOControl(cell.charAt(i))) {
                return cell.replaceAll("\\p{Cntrl}", "�");
            }
        }
        return cell;
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
