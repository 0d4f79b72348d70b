package org.daedalus.output;

import java.util.List;
import org.daedalus.client.ResultColumn;

/** Rows one below the other, each column a line of its name and its value. */
final class ExpandedTable {
    private final List<ResultColumn> columns;
    private final boolean tuplesOnly;
    private final int nameWidth;
    private long count;

    ExpandedTable(List<ResultColumn> columns, boolean tuplesOnly) {
        this.columns = columns;
        this.tuplesOnly = tuplesOnly;
        this.nameWidth = columns.stream().mapToInt(column -> DisplayWidth.of(column.name())).max().orElse(0);
    }

    /** Writes one row, with a line above it that counts it. */
    void renderRow(String[] cells, StringBuilder text) {
        count++;
        if (!tuplesOnly) {
            String title = "-[ RECORD " + count + " ]";
            text.append(title).append("-".repeat(Math.max(0, nameWidth + 1 - title.length()))).append("-+-\n");
        } else if (count > 1) {
            text.append('\n');
        }
        for (int column = 0; column < cells.length; column++) {
            String name = columns.get(column).name();
            String blanks = " ".repeat(nameWidth - DisplayWidth.of(name));
            for (String line : DisplayWidth.printable(cells[column]).split("\n", -1)) {
                text.append(name).append(blanks).append(" | ").append(line).append('\n');
                name = "";
                blanks = " ".repeat(nameWidth);
            }
        }
    }
}
