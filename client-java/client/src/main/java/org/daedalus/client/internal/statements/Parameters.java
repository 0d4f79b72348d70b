package org.daedalus.client.internal.statements;

import com.google.protobuf.ByteString;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.daedalus.client.internal.values.TimeText;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.Interval;
import org.daedalus.wire.WireTypes;

/**
 * Java values as parameters: numbers, booleans, intervals and UUIDs have a type of their own, everything else is
 * untyped text. An array or a collection is the text of an array.
 */
final class Parameters {
    private static final Typed NULL = new Typed(ColumnType.UNTYPED, null);
    private static final ColumnType BOOL = ColumnType.of(Kind.BOOL);
    private static final ColumnType INT = ColumnType.of(Kind.INT);
    private static final ColumnType BIGINT = ColumnType.of(Kind.BIGINT);
    private static final ColumnType REAL = ColumnType.of(Kind.REAL);
    private static final ColumnType DOUBLE = ColumnType.of(Kind.DOUBLE);
    private static final ColumnType NUMERIC = ColumnType.numericOf(0, 0);
    private static final ColumnType INTERVAL = ColumnType.of(Kind.INTERVAL);
    private static final ColumnType UUID_TYPE = ColumnType.of(Kind.UUID);
    /** Every type that a parameter can have, as it travels. */
    private static final Map<ColumnType, ByteString> WIRE_TYPES =
            Stream.of(ColumnType.UNTYPED, BOOL, INT, BIGINT, REAL, DOUBLE, NUMERIC, INTERVAL, UUID_TYPE)
                    .collect(Collectors.toUnmodifiableMap(type -> type,
                            type -> WireTypes.toMessage(type).toByteString()));

    /**
     * A value of the class that its type has; null for NULL.
     *
     * @param type untyped for text without a type of its own: it takes the type its place asks for, as a quoted literal
     *     does
     */
    record Typed(ColumnType type, Object value) {
        /** Returns the type's message, encoded. */
        ByteString wireType() {
            return WIRE_TYPES.get(type);
        }
    }

    private Parameters() {}

    /**
     * Returns the parameter that stands for {@code value} in SQL.
     *
     * @throws IllegalArgumentException for a class that no type corresponds to
     */
    static Typed of(Object value) {
        if (value instanceof String) {
            return new Typed(ColumnType.UNTYPED, value);
        }
        if (value instanceof Boolean) {
            return new Typed(BOOL, value);
        }
        if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
            return new Typed(INT, ((Number) value).intValue());
        }
        if (value instanceof Long) {
            return new Typed(BIGINT, value);
        }
        if (value instanceof Float) {
            return new Typed(REAL, value);
        }
        if (value instanceof Double) {
            return new Typed(DOUBLE, value);
        }
        if (value instanceof BigDecimal decimal) {
            return new Typed(NUMERIC, decimal.scale() < 0 ? decimal.setScale(0) : decimal);
        }
        if (value instanceof BigInteger integer) {
            return new Typed(NUMERIC, new BigDecimal(integer));
        }
        if (value instanceof LocalDate date) {
            return new Typed(ColumnType.UNTYPED, TimeText.format(date));
        }
        if (value instanceof LocalDateTime time) {
            return new Typed(ColumnType.UNTYPED, TimeText.format(time));
        }
        if (value instanceof Instant instant) {
            return new Typed(ColumnType.UNTYPED, TimeText.format(instant));
        }
        if (value instanceof OffsetDateTime zoned) {
            return new Typed(ColumnType.UNTYPED, TimeText.format(instantOf(zoned)));
        }
        if (value instanceof Interval) {
            return new Typed(INTERVAL, value);
        }
        if (value instanceof UUID) {
            return new Typed(UUID_TYPE, value);
        }
        if (value instanceof LocalTime time) {
            return new Typed(ColumnType.UNTYPED, TimeText.format(time));
        }
        if (value == null) {
            return NULL;
        }
        if (value instanceof Collection<?> || value.getClass().isArray()) {
            return new Typed(ColumnType.UNTYPED, ArrayText.of(value));
        }
        if (value instanceof CharSequence || value instanceof Character || value instanceof Enum<?>) {
            return new Typed(ColumnType.UNTYPED, value.toString());
        }
        throw new IllegalArgumentException("a " + value.getClass().getName() + " cannot be a parameter: those are"
                + " Boolean, Byte, Short, Integer, Long, Float, Double, BigDecimal, BigInteger, LocalDate,"
                + " LocalDateTime, LocalTime, Instant, OffsetDateTime, Interval, UUID, CharSequence, Character, Enum"
                + " and null, and for ANY and ALL arrays and collections of these");
    }

    /** Infinite where the other is. */
    private static Instant instantOf(OffsetDateTime zoned) {
        if (zoned.equals(OffsetDateTime.MAX) || zoned.equals(OffsetDateTime.MIN)) {
            return zoned.equals(OffsetDateTime.MAX) ? Instant.MAX : Instant.MIN;
        }
        return zoned.toInstant();
    }
}
