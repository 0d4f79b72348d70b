package org.daedalus.wire;

import org.daedalus.wire.v1.Type;
import org.daedalus.wire.v1.TypeKind;

/** Types of columns and values as messages carry them. */
public final class WireTypes {
    private static final ColumnType.Kind[] KINDS = ColumnType.Kind.values();

    private WireTypes() {}

    /** Reads a type from the wire; refuses what docs/wire.md does not define. */
    public static ColumnType read(Type type) throws WireException {
        int number = type.getKindValue();
        if (number < 1 || number > KINDS.length) {
            throw new WireException("unknown type kind " + number);
        }
        ColumnType result =
                new ColumnType(KINDS[number - 1], type.getPrecision(), type.getScale(), type.getLength());
        boolean numericOk = result.precision() >= 0 && result.precision() <= ColumnType.NUMERIC_PRECISION_MAX
                && result.scale() >= 0 && (result.precision() == 0 || result.scale() <= result.precision());
        int lengthMax =
                result.kind() == ColumnType.Kind.TEXT ? ColumnType.TEXT_LENGTH_MAX : ColumnType.STRING_LENGTH_MAX;
        if (!numericOk || result.length() < 0 || result.length() > lengthMax) {
            throw new WireException("type out of range: " + result);
        }
        return result;
    }

    public static Type toMessage(ColumnType type) {
        return Type.newBuilder().setKind(TypeKind.forNumber(type.kind().ordinal() + 1))
                .setPrecision(type.precision()).setScale(type.scale()).setLength(type.length()).build();
    }
}
