package org.daedalus.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.cli.CliException;
import org.junit.jupiter.api.Test;

class StatementSplitterTest {
    private static List<String> split(String... lines) throws CliException {
        StatementSplitter splitter = new StatementSplitter();
        List<Statement> statements = new ArrayList<>();
        for (String line : lines) {
            statements.addAll(splitter.feed(line));
        }
        statements.addAll(splitter.finish());
        return statements.stream().map(Statement::text).toList();
    }

    @Test
    void shouldCutAtSemicolonsAndKeepTheLastStatement() throws CliException {
        assertThat(split("SELECT 1; SELECT 2 ;\n", " ;; SELECT 3")).containsExactly("SELECT 1", "SELECT 2", "SELECT 3");
        assertThat(split("", " \n", ";")).isEmpty();
    }

    @Test
    void shouldGiveAStatementAsSoonAsItsSemicolonIsSeen() throws CliException {
        StatementSplitter splitter = new StatementSplitter();
        assertThat(splitter.feed("SELECT\n")).isEmpty();
        assertThat(splitter.feed("1; SELECT\n")).containsExactly(new Statement("SELECT\n1", 1));
        assertThat(splitter.feed("2;\n")).containsExactly(new Statement("SELECT\n2", 2));
    }

    @Test
    void shouldNotLookForTheEndOfAStatementForEver() throws CliException {
        StatementSplitter splitter = new StatementSplitter();
        splitter.feed("x".repeat(StatementSplitter.STATEMENT_SIZE_MAX));
        assertThatThrownBy(() -> splitter.feed("x")).isInstanceOf(CliException.class)
                .hasMessageContaining("a statement exceeds 16777216 characters");
    }

    @Test
    void shouldIgnoreSemicolonsInQuotes() throws CliException {
        assertThat(split("SELECT ';', 'a'';b', \"x;y\"; SELECT 2"))
                .containsExactly("SELECT ';', 'a'';b', \"x;y\"", "SELECT 2");
        assertThat(split("SELECT E'\\';', 'b\\'; SELECT 2")).containsExactly("SELECT E'\\';', 'b\\'", "SELECT 2");
        assertThat(split("SELECT 'a\n", "b;'; SELECT 2")).containsExactly("SELECT 'a\nb;'", "SELECT 2");
        assertThat(split("SELECT nameE'a\\'; SELECT 2")).containsExactly("SELECT nameE'a\\'", "SELECT 2");
    }

    @Test
    void shouldIgnoreSemicolonsInDollarQuotes() throws CliException {
        assertThat(split("SELECT $$a;b$$, $t$ ;$$ $t$; SELECT 2"))
                .containsExactly("SELECT $$a;b$$, $t$ ;$$ $t$", "SELECT 2");
        assertThat(split("SELECT $1; SELECT a$b$; SELECT $2"))
                .containsExactly("SELECT $1", "SELECT a$b$", "SELECT $2");
    }

    @Test
    void shouldIgnoreSemicolonsInComments() throws CliException {
        assertThat(split("SELECT 1 -- one;\n", ", 2; /* a; /* b; */ c; */ SELECT 3"))
                .containsExactly("SELECT 1 -- one;\n, 2", "/* a; /* b; */ c; */ SELECT 3");
        assertThat(split("-- nothing;\n", "/* ; */;")).isEmpty();
        assertThat(split("SELECT 1 -- one;\r\n", ";\r\nSELECT 2 -- two;\r; SELECT 3\r\n"))
                .containsExactly("SELECT 1 -- one;", "SELECT 2 -- two;", "SELECT 3");
    }

    @Test
    void shouldKeepLineEndsInQuotesAsTheyAre() throws CliException {
        assertThat(split("SELECT 'a\r\n", "b\rc\n", "d', $$\r\n", "$$;\r\n", "SELECT 2;\r\n"))
                .containsExactly("SELECT 'a\r\nb\rc\nd', $$\r\n$$", "SELECT 2");
    }

    @Test
    void shouldSayInWhichLineAStatementBegins() throws CliException {
        StatementSplitter splitter = new StatementSplitter();
        assertThat(splitter.feed("-- what\n")).isEmpty();
        assertThat(splitter.feed("/* is\nthis */ SELECT 'a\n")).isEmpty();
        assertThat(splitter.feed("b'; SELECT 2;\n").stream().map(Statement::line)).containsExactly(3, 4);
        assertThat(splitter.feed("\n\n  SELECT 3;").stream().map(Statement::line)).containsExactly(7);
    }

    @Test
    void shouldSayWhatIsOpen() throws CliException {
        String[][] cases = {{"", ""}, {"SELECT 1;", ""}, {"-- x\n", ""}, {"SELECT", "-"}, {"SELECT count(", "("},
            {"SELECT count(*)", "-"}, {"SELECT 'a", "'"}, {"SELECT \"a", "\""}, {"SELECT $$a", "$"}, {"/* a", "*"},
            {"SELECT (1; SELECT", "-"}};
        for (String[] each : cases) {
            StatementSplitter splitter = new StatementSplitter();
            splitter.feed(each[0]);
            assertThat(splitter.open()).as(each[0]).isEqualTo(each[1]);
        }
    }
}
