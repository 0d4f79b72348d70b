package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.daedalus.wire.ColumnType.Kind;
import org.junit.jupiter.api.Test;

/** Rows that the scan finds sound must be rows in which a closer look finds nothing. */
class PackedScanTest {
    private static final List<ColumnType> TYPES = List.of(
            ColumnType.of(Kind.BOOL), ColumnType.of(Kind.SMALLINT), ColumnType.of(Kind.INT), ColumnType.of(Kind.BIGINT),
            ColumnType.of(Kind.REAL), ColumnType.of(Kind.DOUBLE), ColumnType.numericOf(6, 2),
            ColumnType.of(Kind.DATE), ColumnType.of(Kind.TIMESTAMP), ColumnType.of(Kind.TIMESTAMPTZ),
            ColumnType.of(Kind.TIME), ColumnType.of(Kind.UUID), ColumnType.charOf(4), ColumnType.varcharOf(30),
            ColumnType.of(Kind.INTERVAL));

    private static Object value(ColumnType type, Random random) {
        return switch (type.kind()) {
            case BOOL -> random.nextBoolean();
            case SMALLINT -> (short) random.nextInt();
            case INT -> random.nextInt();
            case BIGINT -> random.nextLong();
            case REAL -> random.nextFloat();
            case DOUBLE -> random.nextDouble();
            case NUMERIC -> new BigDecimal(BigInteger.valueOf(random.nextInt(1_999_999) - 999_999), type.scale());
            case DATE -> LocalDate.ofEpochDay(random.nextInt(20_000));
            case TIMESTAMP -> LocalDateTime.of(2013, 1, 1, 0, 0).plusSeconds(random.nextInt());
            case TIMESTAMPTZ -> Instant.ofEpochSecond(random.nextInt());
            case INTERVAL -> new Interval(random.nextInt(), random.nextInt(), random.nextLong());
            case UUID -> new UUID(random.nextLong(), random.nextLong());
            case TIME -> random.nextInt(8) == 0 ? LocalTime.MAX : LocalTime.ofSecondOfDay(random.nextInt(86_400));
            case CHAR, VARCHAR, TEXT ->
                "abcdefghijklmnopqrstuvwxyz".substring(0, random.nextInt(type.length() % 26 + 1));
        };
    }

    private static Object[] row(List<ColumnType> types, List<Boolean> nullable, Random random) {
        Object[] values = new Object[types.size()];
        for (int column = 0; column < values.length; column++) {
            boolean isNull = nullable.get(column) && random.nextInt(4) == 0;
            values[column] = isNull ? null : value(types.get(column), random);
        }
        return values;
    }

    /** Reads value by value, and returns the number of rows, or NOT_SOUND. */
    private static int closerLook(List<ColumnType> types, List<Boolean> nullable, byte[] bytes) {
        PackedRows rows = new PackedRows(types, ByteRange.of(bytes));
        int count = 0;
        try {
            for (; rows.hasNext(); count++) {
                Object[] values = rows.next();
                for (int column = 0; column < values.length; column++) {
                    boolean isFine = values[column] == null ? nullable.get(column)
                            : !(values[column] instanceof BigDecimal number) || number.signum() == 0
                                    || number.precision() <= types.get(column).precision();
                    if (!isFine) {
                        return PackedScan.NOT_SOUND;
                    }
                }
            }
            return count;
        } catch (WireException e) {
            return PackedScan.NOT_SOUND;
        }
    }

    @Test
    void shouldFindSoundOnlyWhatACloserLookFindsSound() {
        Random random = new Random(Seeds.seed());
        int sound = 0;
        for (int round = 0; round < 3_000; round++) {
            List<ColumnType> types = new ArrayList<>();
            List<Boolean> nullable = new ArrayList<>();
            for (int column = random.nextInt(20) + 1; column > 0; column--) {
                types.add(TYPES.get(random.nextInt(TYPES.size())));
                nullable.add(random.nextBoolean());
            }
            PackedScan scan = new PackedScan(types, nullable);
            ByteWriter out = new ByteWriter(64);
            List<Object[]> rows = new ArrayList<>();
            List<Integer> starts = new ArrayList<>();
            for (int count = random.nextInt(4); count >= 0; count--) {
                rows.add(row(types, nullable, random));
                starts.add(out.size());
                PackedRows.append(types, rows.get(rows.size() - 1), out);
            }
            byte[] bytes = out.toByteArray();
            assertThat(scan.countSound(bytes)).isEqualTo(rows.size());
            int column = random.nextInt(types.size());
            int at = random.nextInt(rows.size());
            Object value = rows.get(at)[column];
            assertThat(scan.value(bytes, starts.get(at), column))
                    .isEqualTo(value == null ? null : PackedValues.encode(types.get(column), value));
            byte[] changed = java.util.Arrays.copyOf(bytes, bytes.length - random.nextInt(2));
            changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            int found = scan.countSound(changed);
            if (found != PackedScan.NOT_SOUND) {
                sound++;
                assertThat(found).isEqualTo(closerLook(types, nullable, changed));
            }
        }
        assertThat(sound).isPositive();
    }

    @Test
    void shouldLeaveWhatIsRareToACloserLook() {
        ColumnType wide = ColumnType.numericOf(30, 2);
        ByteWriter out = new ByteWriter(64);
        PackedRows.append(List.of(wide), new Object[] {new BigDecimal("1.00")}, out);
        assertThat(new PackedScan(List.of(wide), List.of(false)).countSound(out.toByteArray()))
                .isEqualTo(PackedScan.NOT_SOUND);
        out.clear();
        PackedRows.append(List.of(ColumnType.varcharOf(9)), new Object[] {"\u00e9"}, out);
        assertThat(new PackedScan(List.of(ColumnType.varcharOf(9)), List.of(false)).countSound(out.toByteArray()))
                .isEqualTo(PackedScan.NOT_SOUND);
    }

    @Test
    void shouldFindNothingSoundThatIsNotInItsOneForm() {
        refuses(ColumnType.varcharOf(4), ColumnType.varcharOf(30), "abcde");
        refuses(ColumnType.charOf(4), ColumnType.varcharOf(30), "abcde");
        refuses(ColumnType.charOf(4), ColumnType.varcharOf(30), "ab ");
        refuses(ColumnType.of(Kind.BOOL), ColumnType.charOf(1), null, (byte) 2);
        refuses(ColumnType.of(Kind.REAL), ColumnType.of(Kind.INT), 0x7fc00001);
        refuses(ColumnType.of(Kind.DOUBLE), ColumnType.of(Kind.BIGINT), 0x7ff8000000000001L);
        refuses(ColumnType.of(Kind.DATE), ColumnType.of(Kind.INT), PackedValues.DATE_MIN - 1);
        refuses(ColumnType.of(Kind.DATE), ColumnType.of(Kind.INT), PackedValues.DATE_MAX + 1);
        refuses(ColumnType.of(Kind.TIMESTAMP), ColumnType.of(Kind.BIGINT), PackedValues.TIMESTAMP_MIN - 1);
        refuses(ColumnType.of(Kind.TIMESTAMP), ColumnType.of(Kind.BIGINT), PackedValues.TIMESTAMP_MAX + 1);
        refuses(ColumnType.of(Kind.TIME), ColumnType.of(Kind.BIGINT), -1L);
        refuses(ColumnType.of(Kind.TIME), ColumnType.of(Kind.BIGINT), PackedValues.TIME_MAX + 1);
        refuses(ColumnType.varcharOf(9), ColumnType.varcharOf(9), null, (byte) 1, (byte) 0, (byte) 0);
        refuses(ColumnType.varcharOf(9), ColumnType.varcharOf(9), null, (byte) 9, (byte) 0, (byte) 'a', (byte) 'b',
                (byte) 'c', (byte) 'd', (byte) 0, (byte) 'f', (byte) 'g', (byte) 'h', (byte) 'i');
    }

    /** Packs a value as another type, or takes its bytes as they are, and reads it as {@code type}. */
    private static void refuses(ColumnType type, ColumnType packedAs, Object value, byte... bytes) {
        byte[] packed = value == null ? bytes : PackedValues.encode(packedAs, value);
        ByteWriter out = new ByteWriter(64);
        out.putInteger(1 + packed.length, 4);
        out.putInteger(0, 1);
        out.put(packed);
        byte[] row = out.toByteArray();
        assertThat(new PackedScan(List.of(type), List.of(false)).countSound(row)).as("%s of %s", type, value)
                .isEqualTo(PackedScan.NOT_SOUND);
        assertThat(closerLook(List.of(type), List.of(false), row)).as("%s of %s", type, value)
                .isEqualTo(PackedScan.NOT_SOUND);
    }
}
