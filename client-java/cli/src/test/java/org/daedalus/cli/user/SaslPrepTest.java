package org.daedalus.cli.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SaslPrepTest {
    private static String prepared(String password) {
        return new String(SaslPrep.prepare(password.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrepareTheExamplesOfRfc4013Section3() {
        assertThat(prepared("I\u00adX")).isEqualTo("IX");
        assertThat(prepared("user")).isEqualTo("user");
        assertThat(prepared("USER")).isEqualTo("USER");
        assertThat(prepared("\u00aa")).isEqualTo("a");
        assertThat(prepared("\u2168")).isEqualTo("IX");
    }

    @Test
    void shouldMakeEveryBlankABlank() {
        assertThat(prepared("a\u00a0b\u3000c")).isEqualTo("a b c");
    }

    @Test
    void shouldTakeWhatMayNotBePreparedAsItIs() {
        for (String password : new String[] {"\u2168\u0007", "\u0627\u2168", "\u00ad", "\ufffd\u2168",
            "a\ue000\u2168"}) {
            assertThat(prepared(password)).isEqualTo(password);
        }
        byte[] noText = {(byte) 0xff, 'a', (byte) 0xc2};
        assertThat(SaslPrep.prepare(noText)).isEqualTo(noText);
    }

    @Test
    void shouldLetTextFromRightToLeftBe() {
        assertThat(prepared("\u0627\u0661\u0628")).isEqualTo("\u0627\u0661\u0628");
    }
}
