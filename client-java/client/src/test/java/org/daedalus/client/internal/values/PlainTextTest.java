package org.daedalus.client.internal.values;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.daedalus.client.ValueException;
import org.daedalus.client.ValueText;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.PackedValues;
import org.junit.jupiter.api.Test;

/** Packing straight from bytes must give what the long way makes of the same text. */
class PlainTextTest {
    private static final List<ColumnType> TYPES = List.of(
            ColumnType.of(Kind.BOOL), ColumnType.of(Kind.SMALLINT), ColumnType.of(Kind.INT), ColumnType.of(Kind.BIGINT),
            ColumnType.of(Kind.REAL), ColumnType.of(Kind.DOUBLE), ColumnType.numericOf(6, 2),
            ColumnType.numericOf(18, 0), ColumnType.numericOf(18, 18), ColumnType.numericOf(30, 4),
            ColumnType.of(Kind.DATE), ColumnType.of(Kind.TIMESTAMP), ColumnType.of(Kind.TIME),
            ColumnType.of(Kind.UUID), ColumnType.charOf(4), ColumnType.varcharOf(6));
    private static final List<String> SAMPLES = List.of(
            "", "t", "f", "true", "false", "0", "1", "yes", "32767", "-32768", "32768", "2147483647", "-2147483648",
            "9223372036854775807", "-0", "+5", "007", "12.34", "-12.345", ".5", "5.", "-.5", "9999.99", "99999.99",
            "123456789012345678", "0.123456789012345678", "1e3", "2013-02-28", "2012-02-29", "2013-02-29",
            "2013-04-31", "0000-01-01", "0001-01-01", "9999-12-31", "2013-1-1", "2013-01-01 10:20:30",
            "2013-01-01T23:59:59", "2013-01-01 24:00:00", "2013-01-01 23:59:60", "2013-01-01 10:20:30.5",
            "00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-AABBCCDDEEFF",
            "00112233445566778899aabbccddeeff", "{00112233-4455-6677-8899-aabbccddeeff}",
            "10:20:30", "23:59:59", "24:00:00", "23:59:60", "10:20", "102030", "1:02:03", "10:20:30.5", "10:20:30 PM",
            "abcd", "abcd  ", " abc", "abcde", "ü", "a\0b", "      ");
    private static final String ALPHABET = "0123456789-+.: Tteful\u00e9\0ABcd{}";

    private static String mutate(Random random) {
        StringBuilder text = new StringBuilder(SAMPLES.get(random.nextInt(SAMPLES.size())));
        for (int i = random.nextInt(3); i > 0; i--) {
            char c = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            int at = random.nextInt(text.length() + 1);
            if (at < text.length() && random.nextBoolean()) {
                text.setCharAt(at, c);
            } else {
                text.insert(at, c);
            }
        }
        return text.toString();
    }

    private static byte[] longWay(ColumnType type, String text) {
        try {
            return PackedValues.encode(type, ValueText.parse(type, text));
        } catch (ValueException e) {
            return null;
        }
    }

    /** Packs the text both ways, and returns true when the plain way packed it. */
    private static boolean check(ColumnType type, String text) {
        byte[] bytes = ("x" + text + "y").getBytes(StandardCharsets.UTF_8);
        ByteWriter out = new ByteWriter(16);
        boolean isPlain = PlainText.append(type, bytes, 1, bytes.length - 1, out);
        if (isPlain) {
            assertThat(out.toByteArray()).as("%s '%s'", type, text).isEqualTo(longWay(type, text));
        } else {
            assertThat(out.size()).isZero();
        }
        return isPlain;
    }

    @Test
    void shouldPackWhatIsSpelledPlainly() {
        Object[][] plain = {
            {Kind.BOOL, "true"}, {Kind.BOOL, "0"}, {Kind.SMALLINT, "-32768"}, {Kind.INT, "2147483647"},
            {Kind.BIGINT, "-123456789012345678"}, {Kind.DATE, "2012-02-29"}, {Kind.TIMESTAMP, "2013-01-01 10:20:30"},
            {Kind.TIME, "10:20:30"}, {Kind.UUID, "00112233-4455-6677-8899-aabbccddeeff"},
        };
        for (Object[] each : plain) {
            assertThat(check(ColumnType.of((Kind) each[0]), (String) each[1])).as("%s", each[1]).isTrue();
        }
        assertThat(check(ColumnType.numericOf(6, 2), "-9999.9")).isTrue();
        assertThat(check(ColumnType.charOf(4), "ab  ")).isTrue();
        assertThat(check(ColumnType.varcharOf(6), "ab  ")).isTrue();
    }

    @Test
    void shouldSayWhatTheLongWaySays() {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        Random random = new Random(seed);
        for (ColumnType type : TYPES) {
            SAMPLES.forEach(text -> check(type, text));
            for (int i = 0; i < 5_000; i++) {
                check(type, mutate(random));
            }
        }
    }
}
