package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CsvReaderTest {
    private static List<String> read(byte[] bytes) throws Exception {
        CsvReader csv = new CsvReader(new ByteArrayInputStream(bytes));
        List<String> records = new ArrayList<>();
        while (csv.next()) {
            StringBuilder record = new StringBuilder().append(csv.line()).append(':');
            for (int i = 0; i < csv.fieldCount(); i++) {
                record.append(csv.isQuoted(i) ? "<" + csv.field(i) + ">" : "[" + csv.field(i) + "]");
            }
            records.add(record.toString());
        }
        return records;
    }

    private static List<String> read(String text) throws Exception {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void refused(String text, long line, String reason) {
        CsvReader.MalformedException refusal =
                catchThrowableOfType(CsvReader.MalformedException.class, () -> read(text));
        assertThat(refusal).as(text).hasMessageContaining(reason);
        assertThat(refusal.line()).isEqualTo(line);
    }

    @Test
    void shouldReadFieldsAndTellQuotedFromPlain() throws Exception {
        assertThat(read("a,b\n1,\"\"\n,x y\n")).containsExactly("1:[a][b]", "2:[1]<>", "3:[][x y]");
        assertThat(read("")).isEmpty();
        assertThat(read("a")).containsExactly("1:[a]");
        assertThat(read("a,\n")).containsExactly("1:[a][]");
        assertThat(read("\n\n")).containsExactly("1:[]", "2:[]");
    }

    @Test
    void shouldReadQuotesLineEndsAndCommasInsideQuotes() throws Exception {
        assertThat(read("\"a,\"\"b\"\"\nc\",d\r\n2,3\r4,5"))
                .containsExactly("1:<a,\"b\"\nc>[d]", "3:[2][3]", "4:[4][5]");
    }

    @Test
    void shouldSkipByteOrderMark() throws Exception {
        assertThat(read("\ufeffa,é\n")).containsExactly("1:[a][é]");
    }

    @Test
    void shouldReadAcrossItsBuffer() throws Exception {
        String field = "é".repeat(10_000);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            text.append(field).append(",\"").append(field).append("\"\r\n");
        }
        assertThat(read(text.toString())).hasSize(30)
                .allSatisfy(record -> assertThat(record).hasSizeGreaterThan(20_000));
    }

    @Test
    void shouldNameTheLineOfWhatIsMalformed() {
        refused("a,b\n1,x\"y\n", 2, "column 2: a quote inside");
        refused("a,b\n\"1\"2,3\n", 2, "column 1: text after");
        refused("a\n1\n\"2\n3\n", 3, "not closed");
        refused("a\n" + "x".repeat(CsvReader.FIELD_SIZE_MAX + 1), 2, "exceeds");
        CsvReader.MalformedException refusal = catchThrowableOfType(CsvReader.MalformedException.class,
                () -> read(new byte[] {'a', '\n', (byte) 0xff, '\n'}));
        assertThat(refusal).hasMessageContaining("not UTF-8");
    }
}
