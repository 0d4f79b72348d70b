package org.daedalus.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DisplayWidthTest {
    @Test
    void shouldCountWhatTerminalsCount() {
        Object[][] cases = {{"", 0}, {"abc", 3}, {"Grüße", 5}, {"日本語", 6}, {"한국", 4}, {"ｆｕｌｌ", 8}, {"e\u0301", 1},
            {"👍", 2}, {"🇨🇭", 2}, {"☎", 1}, {"⚡", 2}, {"a\u200bb", 2}, {"\ud840\udc00", 2}, {"→", 1}, {"…", 1}};
        for (Object[] each : cases) {
            assertThat(DisplayWidth.of((String) each[0])).as((String) each[0]).isEqualTo(each[1]);
        }
    }

    @Test
    void shouldMakeControlsVisible() {
        assertThat(DisplayWidth.printable("plain\nlines")).isEqualTo("plain\nlines");
        assertThat(DisplayWidth.printable("a\tb\rc\u001bd\u0085")).isEqualTo("a\\tb\\rc\\x1Bd\\x85");
    }
}
