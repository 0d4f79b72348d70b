package org.daedalus.wire;

import java.nio.charset.StandardCharsets;
import net.openhft.hashing.LongHashFunction;

/**
 * Decides where rows live and what names an update's body (docs/wire.md, "Placement" and "Digest"). Unsigned 64-bit
 * throughout.
 */
public final class Placement {
    /** The key of NULL. */
    public static final long NULL_KEY = 0x9e3779b97f4a7c15L;

    private static final LongHashFunction XXH3 = LongHashFunction.xx3();
    private static final int STRING_LENGTH_SIZE = 2;
    private static final int ORDINALS_PER_PARTITION_RUN = 1_024;

    private Placement() {}

    /** XXH3-64, seed 0. */
    public static long digest(byte[] body) {
        return XXH3.hashBytes(body);
    }

    /** Returns the finaliser of SplitMix64. */
    public static long mix(long value) {
        long x = value;
        x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
        x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
        return x ^ (x >>> 31);
    }

    /** The high 64 bits of {@code hash * count}, which are below {@code count}. */
    public static int reduce(long hash, int count) {
        long low = (hash & 0xffffffffL) * count;
        long high = (hash >>> 32) * count;
        return (int) ((high + (low >>> 32)) >>> 32);
    }

    /** Returns the placement key of a value; null is NULL. */
    public static long key(ColumnType type, Object value) {
        if (value == null) {
            return NULL_KEY;
        }
        return switch (type.kind()) {
            case REAL -> digest(PackedValues.encode(type, (Float) value == 0 ? 0.0f : value));
            case DOUBLE -> digest(PackedValues.encode(type, (Double) value == 0 ? 0.0 : value));
            case CHAR -> digest(PackedValues.withoutTrailingBlanks((String) value).getBytes(StandardCharsets.UTF_8));
            case VARCHAR, TEXT -> digest(((String) value).getBytes(StandardCharsets.UTF_8));
            default -> digest(PackedValues.encode(type, value));
        };
    }

    /** Returns the key of the value that has these packed bytes; null is NULL. */
    public static long keyOfPacked(ColumnType type, byte[] packed) {
        if (packed == null) {
            return NULL_KEY;
        }
        return switch (type.kind()) {
            case REAL, DOUBLE -> keyOfFloat(packed);
            case CHAR, VARCHAR, TEXT -> XXH3.hashBytes(packed, STRING_LENGTH_SIZE, packed.length - STRING_LENGTH_SIZE);
            default -> digest(packed);
        };
    }

    /**
     * Makes one key of both zeros: the negative one has the sign bit, which is the last byte's highest, and nothing
     * else.
     */
    private static long keyOfFloat(byte[] packed) {
        boolean isZero = (packed[packed.length - 1] & 0x7f) == 0;
        for (int i = 0; i < packed.length - 1; i++) {
            isZero &= packed[i] == 0;
        }
        return digest(isZero ? new byte[packed.length] : packed);
    }

    public static int hashPartition(long key, int partitionCount) {
        return reduce(key, partitionCount);
    }

    public static int hashSegment(long key, int segmentCount) {
        return reduce(mix(key), segmentCount);
    }

    public static int roundRobinPartition(long timestamp, int ordinal, int partitionCount) {
        return reduce(run(timestamp, ordinal), partitionCount);
    }

    public static int roundRobinSegment(long timestamp, int ordinal, int segmentCount) {
        return (int) Long.remainderUnsigned(run(timestamp, ordinal) + Integer.toUnsignedLong(ordinal), segmentCount);
    }

    private static long run(long timestamp, int ordinal) {
        return mix(timestamp + Integer.divideUnsigned(ordinal, ORDINALS_PER_PARTITION_RUN));
    }
}
