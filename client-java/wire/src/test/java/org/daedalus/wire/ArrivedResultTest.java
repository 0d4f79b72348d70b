package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.ResultBatch;
import org.junit.jupiter.api.Test;

class ArrivedResultTest {
    private static final QueryRows ROWS = QueryRows.newBuilder()
            .addColumns(Column.newBuilder().setName("a").setType(WireTypes.toMessage(ColumnType.varcharOf(7))))
            .addColumns(Column.newBuilder().setName("b").setNullable(true))
            .setRows(ByteString.copyFromUtf8("packed")).setRowCount(3).build();

    private static List<ArrivedResult> read(byte[] batch) throws InvalidProtocolBufferException {
        List<ArrivedResult> all = new ArrayList<>();
        ArrivedResult.readBatch(batch, all);
        return all;
    }

    private static byte[] batch(Result... results) {
        return ResultBatch.newBuilder().addAllResults(Arrays.asList(results)).build().toByteArray();
    }

    @Test
    void shouldReadWhatTheMessageReads() throws Exception {
        Result[] results = {
            Result.newBuilder().setSequence(1).setRows(ROWS).build(),
            Result.newBuilder().setSequence(1L << 40).setRows(ROWS.toBuilder().clearColumns()).build(),
            Result.newBuilder().setSequence(2).setRows(QueryRows.getDefaultInstance()).build(),
            Result.newBuilder().setSequence(2).setRows(ROWS.toBuilder().setShapeSequence(1L << 63)).build(),
            Result.newBuilder().setSequence(2).setRows(QueryRows.newBuilder().setShapeSequence(7)).build(),
            Result.newBuilder().setSequence(2).setRows(ROWS.toBuilder().setMoment(1L << 63)).build(),
            Result.newBuilder().setSequence(2).setRows(ROWS.toBuilder().clearColumns().setShapeSequence(7).setMoment(9))
                    .build(),
            Result.newBuilder().setSequence(3).setRows(ROWS.toBuilder().setMoment(9)).setCredit(5).build(),
            Result.newBuilder().setSequence(3).setRows(ROWS).setCredit(5).build(),
            Result.newBuilder().setSequence(4).setEnd(QueryEnd.newBuilder().setRowCount(3)).build(),
            Result.newBuilder().setSequence(4).setEnd(QueryEnd.newBuilder().setRowCount(3)).setCredit(5).build(),
            Result.newBuilder().setEnd(QueryEnd.getDefaultInstance()).build(),
            Result.newBuilder().setSequence(5).setError(Error.newBuilder().setMessage("no")).build(),
            Result.getDefaultInstance()};
        List<ArrivedResult> all = read(batch(results));
        assertThat(all).hasSize(results.length);
        for (int number = 0; number < results.length; number++) {
            ArrivedResult arrived = all.get(number);
            assertThat(arrived.sequence()).isEqualTo(results[number].getSequence());
            assertThat(arrived.isRows()).isEqualTo(results[number].hasRows());
            assertThat(arrived.end()).isEqualTo(results[number].hasEnd() ? results[number].getEnd() : null);
            assertThat(arrived.message()).isEqualTo(results[number].toBuilder().clearCredit().build());
            if (arrived.isRows()) {
                assertThat(QueryRows.parseFrom(arrived.columns()).getColumnsList())
                        .isEqualTo(results[number].getRows().getColumnsList());
                assertThat(bytesOf(arrived.rows())).isEqualTo(results[number].getRows().getRows());
                assertThat(arrived.shapeSequence()).isEqualTo(results[number].getRows().getShapeSequence());
                assertThat(arrived.rowCount()).isEqualTo(results[number].getRows().getRowCount());
                assertThat(arrived.moment()).isEqualTo(results[number].getRows().getMoment());
            }
        }
    }

    /** Fields in another order than they are written in, and twice, mean what they mean to every reader. */
    @Test
    void shouldReadFieldsInAnyOrder() throws Exception {
        byte[] columnsLast = ByteString.copyFrom(ROWS.toBuilder().clearColumns().build().toByteArray())
                .concat(ByteString.copyFrom(ROWS.toBuilder().clearRows().clearRowCount().build().toByteArray()))
                .toByteArray();
        byte[] rowsFirst = ByteString.copyFrom(new byte[] {0x12, (byte) columnsLast.length})
                .concat(ByteString.copyFrom(columnsLast)).concat(ByteString.copyFrom(new byte[] {0x08, 9}))
                .toByteArray();
        byte[] batch = ByteString.copyFrom(new byte[] {0x0a, (byte) rowsFirst.length})
                .concat(ByteString.copyFrom(rowsFirst)).toByteArray();
        Result expected = Result.newBuilder().setSequence(9).setRows(ROWS).build();
        assertThat(ResultBatch.parseFrom(batch).getResults(0)).isEqualTo(expected);
        assertThat(read(batch).get(0).message()).isEqualTo(expected);
    }

    private static ByteString bytesOf(ByteRange range) {
        return ByteString.copyFrom(range.array(), range.offset(), range.size());
    }

    private static Result ofRows(int size) {
        return Result.newBuilder().setRows(QueryRows.newBuilder().setRows(ByteString.copyFrom(new byte[size]))).build();
    }

    @Test
    void shouldHoldOnToItsFrameOnlyWhereItIsNearlyAllOfIt() throws Exception {
        byte[] shared = batch(ofRows(20_000), ofRows(100_000));
        for (ArrivedResult arrived : read(shared)) {
            assertThat(arrived.rows().array()).hasSize(arrived.rows().size());
        }
        byte[] nearlyAlone = batch(ofRows(10_000), ofRows(100_000));
        List<ArrivedResult> all = read(nearlyAlone);
        assertThat(all.get(0).rows().array()).hasSize(10_000);
        assertThat(all.get(1).rows().array()).isSameAs(nearlyAlone);
    }

    /** Refuses what the message refuses, but for columns, which are looked at when they are read. */
    @Test
    void shouldRefuseWhatIsCutShortOrBroken() {
        byte[] whole = batch(Result.newBuilder().setSequence(1).setRows(ROWS).build());
        for (int size = 1; size < whole.length; size++) {
            byte[] cut = Arrays.copyOf(whole, size);
            assertThatThrownBy(() -> read(cut)).as("%d bytes", cut.length)
                    .isInstanceOf(InvalidProtocolBufferException.class);
        }
        Random random = new Random(Seeds.seed());
        for (int round = 0; round < 20_000; round++) {
            byte[] broken = whole.clone();
            broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            try {
                ResultBatch known = ResultBatch.parseFrom(broken);
                assertThat(read(broken)).hasSize(known.getResultsCount());
            } catch (InvalidProtocolBufferException e) {
                try {
                    read(broken).forEach(ArrivedResult::message);
                    assertThat(broken).as("what only this side reads").isNull();
                } catch (InvalidProtocolBufferException | IllegalStateException refused) {
                    assertThat(refused).isNotNull();
                }
            }
        }
    }
}
