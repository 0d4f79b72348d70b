package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.daedalus.wire.ColumnType;
import org.junit.jupiter.api.Test;

/** Dates and timestamps in rpc/vectors/datetimes.tsv read the same here as in C++, and as in PostgreSQL. */
class DatetimeVectorsTest {
    private static String read(ColumnType type, String text) {
        try {
            return ValueText.format(type, ValueText.parse(type, text));
        } catch (ValueException e) {
            return e.sqlState();
        }
    }

    @Test
    void shouldReadEverySpellingAsPostgresDoes() throws IOException {
        List<String> vectors = Files.readAllLines(Path.of("../../rpc/vectors/datetimes.tsv"));
        assertThat(vectors).hasSizeGreaterThan(2_000);
        for (String vector : vectors) {
            String[] fields = vector.split("\t", -1);
            assertThat(fields).as(vector).hasSize(3);
            ColumnType type =
                    ColumnType.of(fields[0].equals("date") ? ColumnType.Kind.DATE : ColumnType.Kind.TIMESTAMP);
            assertThat(read(type, fields[1])).as(vector).isEqualTo(fields[2]);
        }
    }
}
