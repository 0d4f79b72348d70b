package org.daedalus.client.internal.values;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.junit.jupiter.api.Test;

class FittingValueTest {
    private static Object fit(Kind kind, Object value) {
        return FittingValue.of(ColumnType.of(kind), value);
    }

    @Test
    void shouldTakeIntegersOfAnyClassThatHoldsThem() {
        assertThat(fit(Kind.SMALLINT, 7)).isEqualTo((short) 7);
        assertThat(fit(Kind.SMALLINT, -32_768L)).isEqualTo(Short.MIN_VALUE);
        assertThat(fit(Kind.INT, (byte) 7)).isEqualTo(7);
        assertThat(fit(Kind.BIGINT, 7)).isEqualTo(7L);
        assertThat(fit(Kind.DOUBLE, 7)).isEqualTo(7.0);
        assertThat(FittingValue.of(ColumnType.numericOf(9, 2), 7)).isEqualTo(BigDecimal.valueOf(7));
    }

    @Test
    void shouldRefuseWhatIsOutOfRangeAndLeaveTheRestAsItIs() {
        assertThatThrownBy(() -> fit(Kind.SMALLINT, 32_768)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("32768 is out of the range of smallint");
        assertThatThrownBy(() -> fit(Kind.INT, 1L << 31)).isInstanceOf(IllegalArgumentException.class);
        assertThat(fit(Kind.DOUBLE, 7L)).as("not every bigint is a double").isEqualTo(7L);
        assertThat(fit(Kind.BOOL, 1)).isEqualTo(1);
        assertThat(fit(Kind.INT, "7")).isEqualTo("7");
        assertThat(fit(Kind.INT, null)).isNull();
    }
}
