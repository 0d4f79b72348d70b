package org.daedalus.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.ResultColumn;
import org.daedalus.output.Style.Expanded;
import org.daedalus.wire.ColumnType;
import org.junit.jupiter.api.Test;

class TableOutputTest {
    private static final List<ResultColumn> COLUMNS = List.of(
            new ResultColumn("name", ColumnType.varcharOf(20)),
            new ResultColumn("n", ColumnType.of(ColumnType.Kind.INT)));

    private static String print(StatementOutput.Format format, Style style, String[]... rows) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, false, StandardCharsets.UTF_8);
        List<String[]> copies = java.util.Arrays.stream(rows).map(String[]::clone).toList();
        format.open(stream, stream, style).rows(Answer.of(COLUMNS, copies), new Elapsed());
        return out.toString(StandardCharsets.UTF_8);
    }

    private static Style style(Expanded expanded, int width) {
        return new Style(false, expanded, null, false, () -> width);
    }

    private static final String[][] AWKWARD = {{"日本", "1"}, {"e\u0301te", "22"}, {"👍 up", null}, {"", "3"},
        {"two\nlines", "4"}, {"tab\there\u001b[31m", "5"}};

    @Test
    void shouldAlignByWhatTheTerminalShows() {
        assertThat(print(StatementOutput.Format.TABLE, style(Expanded.OFF, 0), AWKWARD)).isEqualTo("""
                 name              | n
                -------------------+------
                 日本              |    1
                 e\u0301te               |   22
                 👍 up             | NULL
                                   |    3
                 two              +|    4
                 lines             |\s\s\s\s\s
                 tab\\there\\x1B[31m |    5
                (6 rows)
                """);
    }

    @Test
    void shouldShowOneColumnALineWhereRowsAreWiderThanTheTerminal() {
        String[] row = {"a value that is longer than fits", "1"};
        assertThat(print(StatementOutput.Format.TABLE, style(Expanded.AUTO, 41), row)).isEqualTo("""
                 name                             | n
                ----------------------------------+---
                 a value that is longer than fits | 1
                (1 row)
                """);
        String[] wide = {"a value that is longer than fits\non 41 columns", "123456789"};
        assertThat(print(StatementOutput.Format.TABLE, style(Expanded.AUTO, 41), wide)).isEqualTo("""
                -[ RECORD 1 ]-+-
                name | a value that is longer than fits
                     | on 41 columns
                n    | 123456789
                (1 row)
                """);
    }

    @Test
    void shouldCountOneRowAsOne() {
        assertThat(StatementOutput.rows(0)).isEqualTo("0 rows");
        assertThat(StatementOutput.rows(1)).isEqualTo("1 row");
    }

    @Test
    void shouldNameColumnsOfOneNameApartInJsonLines() {
        List<ResultColumn> same = List.of(COLUMNS.get(1), COLUMNS.get(1),
                new ResultColumn("n_2", ColumnType.of(ColumnType.Kind.DOUBLE)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, false, StandardCharsets.UTF_8);
        new JsonLinesOutput(stream, stream).rows(
                Answer.of(same, List.<String[]>of(new String[] {"1", "2", "NaN"})), new Elapsed());
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("{\"n\":1,\"n_2\":2,\"n_2_2\":\"NaN\"}\n");
    }

    @Test
    void shouldPutTheCaretUnderWhatTheTerminalShows() {
        DaedalusException failure =
                new DaedalusException(DaedalusException.Category.REJECTED, "42601", "wrong", 9);
        assertThat(Errors.renderAt(failure, new Origin("SELECT\n'日本' x", "f.sql", 7)))
                .endsWith("LINE 2: '日本' x\n         ^");
        assertThat(Errors.renderAt(failure, new Origin("SELECT 1", "f.sql", 7))).startsWith("f.sql:7: ERROR 42601");
    }
}
