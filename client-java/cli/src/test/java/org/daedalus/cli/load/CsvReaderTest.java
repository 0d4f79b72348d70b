package org.daedalus.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class CsvReaderTest {
    private static List<String> read(byte[] bytes, int pieceSizeMax) throws Exception {
        return read(bytes, pieceSizeMax, ',');
    }

    private static List<String> read(byte[] bytes, int pieceSizeMax, char delimiter) throws Exception {
        return read(bytes, pieceSizeMax, CsvFormat.of(delimiter));
    }

    private static List<String> read(byte[] bytes, int pieceSizeMax, CsvFormat format) throws Exception {
        CsvReader csv = new CsvReader(new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, pieceSizeMax));
            }
        }, format);
        List<String> records = new ArrayList<>();
        while (csv.next()) {
            records.add(describe(csv));
            assertThat(csv.checksum()).isEqualTo(checksum(bytes, csv.nextPlace().offset()));
        }
        assertThat(csv.nextPlace().offset()).isEqualTo(bytes.length);
        assertThat(csv.checksum()).isEqualTo(checksum(bytes, bytes.length));
        return records;
    }

    private static int checksum(byte[] bytes, long size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, (int) size);
        return (int) crc.getValue();
    }

    private static String describe(CsvReader csv) {
        if (csv.problem() != null) {
            return csv.line() + "!" + csv.problem() + "|" + new String(csv.raw(), StandardCharsets.UTF_8);
        }
        StringBuilder record = new StringBuilder().append(csv.line()).append(':');
        for (int i = 0; i < csv.fields().fieldCount(); i++) {
            String text = new String(csv.fields().copy(i), StandardCharsets.UTF_8);
            record.append(csv.fields().isQuoted(i) ? "<" + text + ">" : "[" + text + "]");
        }
        return record.toString();
    }

    private static List<String> read(String text) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        List<String> records = read(bytes, Integer.MAX_VALUE);
        if (bytes.length < 1_000) {
            for (int pieceSizeMax = 1; pieceSizeMax <= bytes.length; pieceSizeMax++) {
                assertThat(read(bytes, pieceSizeMax)).as("pieces of %d bytes", pieceSizeMax).isEqualTo(records);
            }
        }
        return records;
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
    void shouldEndWhatIsMalformedWithItsFirstLine() throws Exception {
        assertThat(read("a,b\n1,x\"y\n3,4\n")).containsExactly(
                "1:[a][b]", "2!a quote inside a field that does not start with one|1,x\"y", "3:[3][4]");
        assertThat(read("a,b\n\"1\"2,3\r\n4,5")).containsExactly(
                "1:[a][b]", "2!text after the closing quote|\"1\"2,3", "3:[4][5]");
        assertThat(read("\"2\n3\n4\n")).containsExactly("1!the quote is not closed|\"2", "2:[3]", "3:[4]");
        assertThat(read("a,\"b\nc,d\ne,\"f\"\n")).containsExactly(
                "1!text after the closing quote|a,\"b", "2:[c][d]", "3:[e]<f>");
        assertThat(read("\"")).containsExactly("1!the quote is not closed|\"");
    }

    @Test
    void shouldNotLookForAClosingQuoteForEver() throws Exception {
        String line = "x".repeat(1_000) + "\n";
        List<String> records = read("\"a\n" + line.repeat(CsvReader.RECORD_SIZE_MAX / line.length() + 1) + "b\"\n");
        assertThat(records.get(0)).startsWith("1!the record exceeds").endsWith("|\"a");
        assertThat(records.get(1)).isEqualTo("2:[" + "x".repeat(1_000) + "]");
        assertThat(records.get(records.size() - 1)).contains("!a quote inside");
    }

    @Test
    void shouldReadOnFromAnyPlace() throws Exception {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        Random random = new Random(seed);
        String alphabet = "ab,\"\n\r";
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        CsvReader whole = new CsvReader(new ByteArrayInputStream(bytes), CsvFormat.of(','));
        while (whole.next()) {
            RecordSource.Place place = whole.nextPlace();
            int from = (int) place.offset();
            CRC32C before = new CRC32C();
            before.update(bytes, 0, from);
            ByteArrayInputStream behind = new ByteArrayInputStream(bytes, from, bytes.length - from);
            CsvReader rest = new CsvReader(behind, CsvFormat.of(','),
                    place, before);
            CsvReader again = new CsvReader(new ByteArrayInputStream(bytes), CsvFormat.of(','));
            while (again.nextPlace().offset() < from) {
                again.next();
            }
            while (again.next()) {
                assertThat(rest.next()).as("seed %d", seed).isTrue();
                assertThat(describe(rest)).as("seed %d", seed).isEqualTo(describe(again));
                assertThat(rest.checksum()).as("seed %d", seed).isEqualTo(again.checksum());
            }
            assertThat(rest.next()).isFalse();
        }
    }
}
