package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.daedalus.wire.v1.Type;
import org.junit.jupiter.api.Test;

class WireTypesTest {
    private static Type text(ColumnType.Kind kind, int length) {
        return WireTypes.toMessage(new ColumnType(kind, 0, 0, length));
    }

    @Test
    void shouldReadComputedTextsAsLongAsStringAggMakesThem() throws WireException {
        Type longest = text(ColumnType.Kind.TEXT, ColumnType.TEXT_LENGTH_MAX);
        assertThat(WireTypes.read(longest).length()).isEqualTo(32_768);
    }

    @Test
    void shouldRefuseWhatNoStringIsAsLongAs() {
        assertThatThrownBy(() -> WireTypes.read(text(ColumnType.Kind.TEXT, ColumnType.TEXT_LENGTH_MAX + 1)))
                .isInstanceOf(WireException.class).hasMessageContaining("out of range");
        assertThatThrownBy(() -> WireTypes.read(text(ColumnType.Kind.VARCHAR, ColumnType.STRING_LENGTH_MAX + 1)))
                .isInstanceOf(WireException.class).hasMessageContaining("out of range");
    }
}
