package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.List;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.Type;
import org.daedalus.wire.v1.TypeKind;
import org.junit.jupiter.api.Test;

class ConstantsTest {
    private static void refuses(Constant constant) {
        assertThatExceptionOfType(WireException.class).as(constant.toString())
                .isThrownBy(() -> Constants.toValue(constant));
    }

    @Test
    void shouldRefuseWhatEveryReaderMustRefuse() {
        JsonNode vectors = Vectors.read("packed.json").get("malformed");
        assertThat(vectors).isNotEmpty();
        for (JsonNode vector : vectors) {
            JsonNode type = vector.get("type");
            refuses(Constant.newBuilder()
                    .setType(Type.newBuilder().setKind(TypeKind.valueOf(type.get("kind").asText()))
                            .setPrecision(type.get("precision").asInt()).setScale(type.get("scale").asInt())
                            .setLength(type.get("length").asInt()))
                    .setPacked(ByteString.copyFrom(HexFormat.of().parseHex(vector.get("packed").asText()))).build());
        }
    }

    @Test
    void shouldRefuseNullWithAValue() throws WireException {
        Constant nothing = Constants.of(ColumnType.of(ColumnType.Kind.BOOL), null);
        assertThat(Constants.toValue(nothing)).isNull();
        refuses(nothing.toBuilder().setPacked(ByteString.copyFrom(new byte[] {1})).build());
    }

    @Test
    void shouldRefuseTypesThatNoColumnHas() throws WireException {
        assertThat(WireTypes.read(WireTypes.toMessage(ColumnType.varcharOf(4_096)))).isEqualTo(
                ColumnType.varcharOf(4_096));
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> WireTypes.read(WireTypes.toMessage(ColumnType.varcharOf(4_097))));
    }

    @Test
    void shouldWriteNumbersWithoutBoundAsEveryReaderTakesThem() throws WireException {
        ColumnType unbounded = ColumnType.numericOf(0, 0);
        assertThat(Constants.toValue(Constants.of(unbounded, new BigDecimal("1E+3")))).isEqualTo(
                new BigDecimal("1000"));
        for (String tooLong : List.of("1E+999999999", "1E+614", "1E-1001")) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> Constants.of(unbounded, new BigDecimal(tooLong)));
        }
    }
}
