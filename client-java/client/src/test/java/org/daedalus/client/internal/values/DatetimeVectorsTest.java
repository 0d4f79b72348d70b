package org.daedalus.client.internal.values;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.daedalus.client.ValueException;
import org.daedalus.client.ValueText;
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
        int zonesByName = 0;
        for (String vector : vectors) {
            String[] fields = vector.split("\t", -1);
            assertThat(fields).as(vector).hasSize(3);
            ColumnType type = ColumnType.of(ColumnType.Kind.valueOf(fields[0].toUpperCase(Locale.ROOT)));
            String told = read(type, fields[1]);
            boolean isAtPlace = type.kind() == ColumnType.Kind.TIMESTAMPTZ
                    && (told.equals("0A000") || fields[2].equals("0A000"));
            if (isAtPlace) {
                zonesByName++;  // This machine knows what a name means, and an aggregator in C++.
                continue;
            }
            assertThat(told).as(vector).isEqualTo(fields[2]);
        }
        assertThat(zonesByName).isLessThan(vectors.size() / 20);
    }
}
