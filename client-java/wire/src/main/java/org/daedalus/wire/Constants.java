package org.daedalus.wire;

import com.google.protobuf.ByteString;
import java.math.BigDecimal;
import org.daedalus.wire.v1.Constant;

/** Constants of the wire from and to Java values. */
public final class Constants {
    private Constants() {}

    /** Returns a constant of {@code type}; null makes a NULL. */
    public static Constant of(ColumnType type, Object value) {
        Constant.Builder constant = Constant.newBuilder().setType(WireTypes.toMessage(type));
        return value == null
                ? constant.setIsNull(true).build()
                : constant.setPacked(ByteString.copyFrom(PackedValues.encode(type, value))).build();
    }

    /** Text without a type of its own: it takes the type its place asks for, as a quoted literal does. */
    public static Constant untyped(String text) {
        return of(ColumnType.UNTYPED, text);
    }

    /** Returns the Java value, null for NULL. */
    public static Object toValue(Constant constant) throws WireException {
        ColumnType type = WireTypes.read(constant.getType());
        if (constant.getIsNull()) {
            if (!constant.getPacked().isEmpty()) {
                throw new WireException("a NULL constant with a value");
            }
            return null;
        }
        PackedReader packed = new PackedReader(ByteRange.of(constant.getPacked().toByteArray()));
        Object value = packed.read(type);
        if (packed.remaining() > 0) {
            throw new WireException("packed " + type + " has " + packed.remaining() + " bytes too many");
        }
        if (value instanceof BigDecimal number && !type.holds(number)) {
            throw new WireException("packed " + type + " has more digits than its precision: " + number);
        }
        return value;
    }
}
