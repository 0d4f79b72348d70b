package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ShortTextsTest {
    private static int packed(String text) {
        int bytes = 0;
        for (int at = 0; at < text.length(); at++) {
            bytes |= text.charAt(at) << Byte.SIZE * at;
        }
        return bytes;
    }

    @Test
    void shouldMakeATextThatComesAgainOnce() {
        for (String text : new String[] {"", "Y", "LX", "ZRH", "12A ", "    "}) {
            String first = ShortTexts.of(packed(text), text.length());
            assertThat(first).isEqualTo(text);
            assertThat(ShortTexts.of(packed(text), text.length())).isSameAs(first);
        }
    }

    /** There are more texts than places: each drives others out, and none is taken for another. */
    @Test
    void shouldNeverMistakeATextForAnother() {
        long seed = Seeds.seed();
        Random random = new Random(seed);
        for (int round = 0; round < 100 * ShortTexts.PLACES; round++) {
            StringBuilder text = new StringBuilder();
            for (int size = random.nextInt(ShortTexts.SIZE_MAX + 1); size > 0; size--) {
                text.append((char) (1 + random.nextInt(random.nextBoolean() ? 3 : 127)));
            }
            assertThat(ShortTexts.of(packed(text.toString()), text.length())).as("seed %d", seed)
                    .isEqualTo(text.toString());
        }
    }
}
