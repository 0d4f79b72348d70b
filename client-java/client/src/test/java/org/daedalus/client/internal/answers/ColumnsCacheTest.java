package org.daedalus.client.internal.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.daedalus.client.ResultColumn;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.QueryRows;
import org.junit.jupiter.api.Test;

class ColumnsCacheTest {
    private final ColumnsCache cache = new ColumnsCache();

    private static byte[] columns(int count, String prefix) {
        QueryRows.Builder rows = QueryRows.newBuilder();
        for (int column = 0; column < count; column++) {
            rows.addColumns(Column.newBuilder().setName(prefix + column)
                    .setType(WireTypes.toMessage(ColumnType.varcharOf(5))));
        }
        return rows.build().toByteArray();
    }

    @Test
    void shouldReadEqualColumnsOnceAndNeverMistakeOthersForThem() throws WireException {
        for (int round = 0; round < 2; round++) {
            for (int number = 0; number < 5_000; number++) { // More than there are places.
                ResultColumns read = cache.of(columns(2, "c" + number + "_"));
                assertThat(read.list()).extracting(ResultColumn::name)
                        .containsExactly("c" + number + "_0", "c" + number + "_1");
                assertThat(cache.of(columns(2, "c" + number + "_"))).isSameAs(read);
            }
        }
        assertThat(cache.of(new byte[0]).list()).isEmpty();
    }

    @Test
    void shouldKeepNothingThatIsLarge() throws WireException {
        byte[] large = columns(2_000, "column_");
        assertThat(cache.of(large)).isNotSameAs(cache.of(large));
        assertThat(cache.of(large).list()).hasSize(2_000);
    }

    @Test
    void shouldRefuseWhatIsMalformed() {
        assertThatThrownBy(() -> cache.of(new byte[] {10, 3, 1})).isInstanceOf(WireException.class);
        assertThatThrownBy(() -> cache.of(QueryRows.newBuilder().addColumns(Column.newBuilder().setName("a")).build()
                .toByteArray())).isInstanceOf(WireException.class);
    }
}
