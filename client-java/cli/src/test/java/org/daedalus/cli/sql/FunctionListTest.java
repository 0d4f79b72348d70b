package org.daedalus.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FunctionListTest {
    @Test
    void shouldNameFunctionsAndAggregatesOnce() {
        assertThat(FunctionList.names()).contains("upper", "date_trunc", "concat", "count").doesNotHaveDuplicates()
                .isSorted();
    }

    @Test
    void shouldNameEveryAggregateAndTheClock() {
        assertThat(FunctionList.names()).contains("avg", "bool_or", "mode", "now", "stddev_samp", "string_agg", "sum");
        assertThat(FunctionList.about("string_agg")).matches("string_agg +text +text, text");
        assertThat(FunctionList.about("sum").lines()).contains(String.format("%-18s %-18s %s", "sum", "bigint",
                "smallint; integer"));
    }

    @Test
    void shouldShowWhatMatchesAPattern() {
        assertThat(FunctionList.about("UPPER")).matches("upper +text +text");
        assertThat(FunctionList.about("date_*").lines()).hasSizeGreaterThan(2)
                .allMatch(line -> line.startsWith("date_"));
        assertThat(FunctionList.about("").lines()).hasSizeGreaterThan(100);
    }

    @Test
    void shouldSayWhatIsNotThere() {
        assertThat(FunctionList.about("nothing(")).isEqualTo("there is no function nothing(");
    }
}
