package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.daedalus.wire.ColumnType.Kind;
import org.junit.jupiter.api.Test;

class PackedRowsTest {
    private static final List<ColumnType> TYPES = List.of(
            ColumnType.of(Kind.BOOL), ColumnType.of(Kind.SMALLINT), ColumnType.of(Kind.INT), ColumnType.of(Kind.BIGINT),
            ColumnType.of(Kind.REAL), ColumnType.of(Kind.DOUBLE), ColumnType.numericOf(18, 2),
            ColumnType.numericOf(38, 5),
            ColumnType.numericOf(0, 0), ColumnType.of(Kind.DATE), ColumnType.of(Kind.TIMESTAMP), ColumnType.charOf(3),
            ColumnType.varcharOf(12), ColumnType.of(Kind.INTERVAL));
    private static final Object[] LOW = {
        false, Short.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE, Float.NEGATIVE_INFINITY, -Double.MAX_VALUE,
        new BigDecimal("-9999999999999999.99"), new BigDecimal("-999999999999999999999999999999999.99999"),
        new BigDecimal("-12345678901234567890.5"), LocalDate.of(1, 1, 1), LocalDateTime.of(1, 1, 1, 0, 0, 0, 1_000),
        "   ", "", new Interval(Integer.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE)};
    private static final Object[] HIGH = {
        true, Short.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, Float.NaN, Double.NaN,
        new BigDecimal("9999999999999999.99"), new BigDecimal("999999999999999999999999999999999.99999"),
        new BigDecimal("1000"), LocalDate.of(9999, 12, 31), LocalDateTime.of(2013, 1, 1, 5, 0), "é ", "Zürich ✈",
        new Interval(1, -2, 3)};

    @Test
    void shouldReadBackWhatWasAppended() throws WireException {
        ByteWriter out = new ByteWriter(16);
        Object[] nulls = new Object[TYPES.size()];
        for (Object[] row : List.of(LOW, HIGH, nulls)) {
            PackedRows.append(TYPES, row, out);
        }
        PackedRows rows = new PackedRows(TYPES, ByteRange.of(out.toByteArray()));
        assertThat(rows.next()).containsExactly(LOW);
        assertThat(rows.next()).containsExactly(HIGH);
        assertThat(rows.next()).containsExactly(nulls);
        assertThat(rows.hasNext()).isFalse();
    }

    @Test
    void shouldReadMomentsBeforeChristOfAnswersOnly() throws WireException {
        List<ColumnType> types = List.of(ColumnType.of(Kind.DATE), ColumnType.of(Kind.TIMESTAMP));
        ByteWriter out = new ByteWriter(16);
        PackedRows.append(List.of(ColumnType.of(Kind.INT), ColumnType.of(Kind.BIGINT)),
                new Object[] {PackedValues.DATE_MIN - 1, PackedValues.COMPUTED_TIMESTAMP_MIN}, out);
        ByteRange row = ByteRange.of(out.toByteArray());
        assertThat(PackedRows.ofAnswer(types, row).next())
                .containsExactly(LocalDate.of(0, 12, 31), LocalDateTime.of(-4713, 11, 24, 0, 0));
        assertThatThrownBy(() -> new PackedRows(types, row).next()).isInstanceOf(WireException.class);
    }

    @Test
    void shouldRefuseEveryCutRow() {
        ByteWriter out = new ByteWriter(16);
        PackedRows.append(TYPES, HIGH, out);
        byte[] bytes = out.toByteArray();
        for (int cut = 1; cut < bytes.length; cut++) {
            ByteRange piece = new ByteRange(bytes, 0, cut);
            assertThatThrownBy(() -> new PackedRows(TYPES, piece).next()).isInstanceOf(WireException.class);
            byte[] shortened = Arrays.copyOf(bytes, cut);
            if (cut >= 4) {
                ByteWriter resized = new ByteWriter(cut);
                resized.put(shortened);
                resized.setInteger(0, cut - 4, 4);
                ByteRange row = ByteRange.of(resized.toByteArray());
                assertThatThrownBy(() -> new PackedRows(TYPES, row).next()).isInstanceOf(WireException.class);
            }
        }
    }

    /** Every length on both sides of what is read at once, and each of a text's bytes in turn is one that may not. */
    @Test
    void shouldReadTextsOfEveryLengthAndRefuseWhatIsNone() throws WireException {
        for (int size = 0; size <= 20; size++) {
            String text = "abcdefghijklmnopqrstuvwxyz".substring(0, size);
            assertThat(readText(ColumnType.varcharOf(20), text.getBytes(StandardCharsets.US_ASCII))).isEqualTo(text);
            for (int length = Math.max(1, size); length <= 20; length++) {
                assertThat(readText(ColumnType.charOf(length), text.getBytes(StandardCharsets.US_ASCII)))
                        .isEqualTo(text + " ".repeat(length - size));
            }
            for (int at = 0; at < size; at++) {
                byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
                bytes[at] = 0;
                assertThatThrownBy(() -> readText(ColumnType.varcharOf(20), bytes)).hasMessageContaining("NUL");
                bytes[at] = (byte) 0xc3;
                assertThatThrownBy(() -> readText(ColumnType.charOf(20), bytes)).hasMessageContaining("UTF-8");
            }
        }
        assertThat(readText(ColumnType.charOf(4), "é".getBytes(StandardCharsets.UTF_8))).isEqualTo("é  ");
        assertThat(readText(ColumnType.varcharOf(4), "a ".getBytes(StandardCharsets.UTF_8))).isEqualTo("a ");
        for (String blank : List.of(" ", "ab ", "abcdef ")) {
            assertThatThrownBy(() -> readText(ColumnType.charOf(9), blank.getBytes(StandardCharsets.UTF_8)))
                    .hasMessageContaining("blanks at the end");
        }
        // Without a length, each value has blanks of its own.
        assertThat(readText(ColumnType.charOf(0), "ab ".getBytes(StandardCharsets.UTF_8))).isEqualTo("ab ");
        assertThatThrownBy(() -> readText(ColumnType.charOf(2), new byte[3])).hasMessageContaining("fit");
    }

    /** A row of one text with others around it, which are not to be read. */
    private static Object readText(ColumnType type, byte[] text) throws WireException {
        Object alone = readText(type, text, 0);
        assertThat(readText(type, text, 30)).isEqualTo(alone);
        return alone;
    }

    private static Object readText(ColumnType type, byte[] text, int around) throws WireException {
        ByteWriter out = new ByteWriter(100);
        out.put("x".repeat(around).getBytes(StandardCharsets.US_ASCII));
        out.putInteger(3 + text.length, 4);
        out.putInteger(0, 1);
        out.putInteger(text.length, 2);
        out.put(text);
        int size = out.size() - around;
        out.put("x".repeat(around).getBytes(StandardCharsets.US_ASCII));
        return new PackedRows(List.of(type), new ByteRange(out.toByteArray(), around, size)).next()[0];
    }

    @Test
    void shouldRefuseValuesThatDoNotFitAndWriteNothing() {
        ByteWriter out = new ByteWriter(16);
        refuse(ColumnType.numericOf(4, 2), new BigDecimal("100.00"), out);
        refuse(ColumnType.numericOf(4, 2), new BigDecimal("1.001"), out);
        refuse(ColumnType.charOf(2), "é-", out);
        refuse(ColumnType.varcharOf(5), "a\0b", out);
        refuse(ColumnType.of(Kind.INT), 5L, out);
        refuse(ColumnType.of(Kind.DATE), LocalDate.MAX.minusDays(1), out);
        assertThat(out.size()).isZero();
    }

    @Test
    void shouldLayOutValuesAsDocumented() {
        layout(ColumnType.of(Kind.BOOL), true, "01");
        layout(ColumnType.of(Kind.SMALLINT), (short) -2, "feff");
        layout(ColumnType.of(Kind.INT), 258, "02010000");
        layout(ColumnType.of(Kind.REAL), 1.5f, "0000c03f");
        layout(ColumnType.of(Kind.REAL), Float.intBitsToFloat(0xffc00001), "0000c07f");
        layout(ColumnType.of(Kind.DOUBLE), Double.longBitsToDouble(0xfff0000000000001L), "000000000000f87f");
        layout(ColumnType.numericOf(5, 2), new BigDecimal("-1.50"), "6affffffffffffff");
        layout(ColumnType.numericOf(19, 0), new BigDecimal("-1"), "ffffffffffffffffffffffffffffffff");
        layout(ColumnType.numericOf(0, 0), BigDecimal.ZERO, "01000000");
        layout(ColumnType.numericOf(0, 0), new BigDecimal("12.8"), "0201000080");
        layout(ColumnType.numericOf(0, 0), new BigDecimal("-12.8"), "01010080");
        layout(ColumnType.of(Kind.DATE), LocalDate.of(1969, 12, 31), "ffffffff");
        layout(ColumnType.of(Kind.DATE), LocalDate.MAX, "ffffff7f");
        layout(ColumnType.of(Kind.DATE), LocalDate.MIN, "00000080");
        layout(ColumnType.of(Kind.TIMESTAMP), LocalDateTime.MAX, "ffffffffffffff7f");
        layout(ColumnType.of(Kind.TIMESTAMPTZ), Instant.MIN, "0000000000000080");
        layout(ColumnType.of(Kind.TIMESTAMP), LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1_000), "0100000000000000");
        layout(ColumnType.of(Kind.INTERVAL), new Interval(-1, 2, 3), "030000000000000002000000ffffffff");
        layout(ColumnType.charOf(5), "ab   ", "02006162");
        layout(ColumnType.varcharOf(0), "", "0000");
    }

    private static void layout(ColumnType type, Object value, String hex) {
        assertThat(HexFormat.of().formatHex(PackedValues.encode(type, value))).as("%s", type).isEqualTo(hex);
    }

    private static void refuse(ColumnType type, Object value, ByteWriter out) {
        assertThatThrownBy(() -> PackedRows.append(List.of(type), new Object[] {value}, out))
                .as("%s", type).isInstanceOf(IllegalArgumentException.class);
    }
}
