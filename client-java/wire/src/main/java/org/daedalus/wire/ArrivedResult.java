package org.daedalus.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.ResultBatch;

/**
 * One result as it came. Rows, which are most of what comes, stay the bytes they are; everything else is a message.
 * Holds its own bytes, or a frame of which it is nearly all, so that whoever keeps it keeps little else. Immutable.
 */
public final class ArrivedResult {
    private static final byte[] NO_COLUMNS = {};
    private static final int ROWS_TAG = tag(Result.ROWS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    private static final int END_TAG = tag(Result.END_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    /** Rows keep the rest of their frame in memory only if it is one part in so many, or less. */
    private static final int REST_SHARE = 8;

    private final long sequence;
    /** This is null for rows and for the end of a query. */
    private final Result message;
    /** This is null for everything but the end of a query. */
    private final QueryEnd end;
    private final byte[] columns;
    private final ByteRange rows;
    private final int rowCount;
    private final long shapeSequence;
    private final long moment;

    private ArrivedResult(long sequence, Result message, QueryEnd end) {
        this.sequence = sequence;
        this.message = message;
        this.end = end;
        this.columns = NO_COLUMNS;
        this.rows = ByteRange.EMPTY;
        this.rowCount = 0;
        this.shapeSequence = 0;
        this.moment = 0;
    }

    private ArrivedResult(long sequence, byte[] columns, ByteRange rows, int rowCount, long shapeSequence,
            long moment) {
        this.sequence = sequence;
        this.message = null;
        this.end = null;
        this.columns = columns;
        this.rows = rows;
        this.rowCount = rowCount;
        this.shapeSequence = shapeSequence;
        this.moment = moment;
    }

    /** A message as if it had come. */
    public static ArrivedResult of(Result message) {
        try {
            return read(message.toByteArray(), 0, message.getSerializedSize());
        } catch (IOException e) {
            throw new IllegalStateException("a message cannot be read back", e);
        }
    }

    /** Appends the results of a ResultBatch to {@code all}, in order. */
    public static void readBatch(byte[] payload, List<ArrivedResult> all) throws InvalidProtocolBufferException {
        CodedInputStream in = CodedInputStream.newInstance(payload);
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (tag == tag(ResultBatch.RESULTS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
                    int size = sizeOf(in, payload.length);
                    all.add(read(payload, in.getTotalBytesRead(), size));
                    in.skipRawBytes(size);
                } else if (!in.skipField(tag)) {
                    throw new InvalidProtocolBufferException("the end of a group that has not begun");
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw e;
        } catch (IOException e) {
            throw new InvalidProtocolBufferException(e);
        }
    }

    public long sequence() {
        return sequence;
    }

    public boolean isRows() {
        return message == null && end == null;
    }

    /** Returns the end of a query; null: it is something else. */
    public QueryEnd end() {
        return end;
    }

    /**
     * Returns the fields {@code columns} of the QueryRows, encoded; empty when rows came without columns. Not to be
     * changed.
     */
    public byte[] columns() {
        return columns;
    }

    /** Returns the rows, packed one after the other. */
    public ByteRange rows() {
        return rows;
    }

    /** Returns how many rows there should be. */
    public int rowCount() {
        return rowCount;
    }

    /**
     * Returns, for the first rows of an answer to a statement by handle, the sequence of the handle's definition;
     * otherwise 0.
     */
    public long shapeSequence() {
        return shapeSequence;
    }

    /** Returns, for the first rows of an answer, the moment that they are of; 0: they do not say it. */
    public long moment() {
        return moment;
    }

    /** Returns the whole result as a message; of rows and the end of a query it is made anew. */
    public Result message() {
        if (message != null) {
            return message;
        }
        if (end != null) {
            return Result.newBuilder().setSequence(sequence).setEnd(end).build();
        }
        try {
            return Result.newBuilder().setSequence(sequence).setRows(
                    QueryRows.newBuilder().mergeFrom(columns)
                            .setRows(ByteString.copyFrom(rows.array(), rows.offset(), rows.size()))
                            .setRowCount(rowCount).setShapeSequence(shapeSequence).setMoment(moment)).build();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("columns that cannot be read", e);
        }
    }

    /**
     * A result of rows alone, as those of an answer are, or of its end alone, is taken apart here; what else there is
     * the message reads.
     */
    private static ArrivedResult read(byte[] bytes, int offset, int size) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(bytes, offset, size);
        long sequence = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == tag(Result.SEQUENCE_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
                sequence = in.readUInt64();
            } else if (tag == ROWS_TAG || tag == END_TAG) {
                int bodySize = sizeOf(in, size);
                int body = offset + in.getTotalBytesRead();
                if (in.getTotalBytesRead() + bodySize == size) {
                    return tag == ROWS_TAG ? readRows(sequence, bytes, body, bodySize)
                            : new ArrivedResult(sequence, null, QueryEnd.parser().parseFrom(bytes, body, bodySize));
                }
                break;
            } else {
                break;
            }
        }
        Result whole = Result.parseFrom(CodedInputStream.newInstance(bytes, offset, size));
        if (whole.hasRows()) {
            return ofRows(whole);
        }
        return whole.hasEnd() ? new ArrivedResult(whole.getSequence(), null, whole.getEnd())
                : new ArrivedResult(whole.getSequence(), whole, null);
    }

    private static ArrivedResult readRows(long sequence, byte[] bytes, int offset, int size) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(bytes, offset, size);
        ByteRange rows = ByteRange.EMPTY;
        int rowCount = 0;
        long shapeSequence = 0;
        long moment = 0;
        int columnsEnd = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == tag(QueryRows.COLUMNS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)
                    && rows.isEmpty() && rowCount == 0 && shapeSequence == 0 && moment == 0) {
                in.skipRawBytes(in.readRawVarint32());
                columnsEnd = in.getTotalBytesRead();
            } else if (tag == tag(QueryRows.ROWS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
                int rowsSize = sizeOf(in, size);
                rows = keep(bytes, offset + in.getTotalBytesRead(), rowsSize);
                in.skipRawBytes(rowsSize);
            } else if (tag == tag(QueryRows.ROW_COUNT_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
                rowCount = in.readUInt32();
            } else if (tag == tag(QueryRows.SHAPE_SEQUENCE_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
                shapeSequence = in.readUInt64();
            } else if (tag == tag(QueryRows.MOMENT_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
                moment = in.readUInt64();
            } else { // Not in the order in which they are written.
                return ofRows(Result.newBuilder().setSequence(sequence)
                        .setRows(QueryRows.parseFrom(CodedInputStream.newInstance(bytes, offset, size))).build());
            }
        }
        byte[] columns = columnsEnd == 0 ? NO_COLUMNS : Arrays.copyOfRange(bytes, offset, offset + columnsEnd);
        return new ArrivedResult(sequence, columns, rows, rowCount, shapeSequence, moment);
    }

    /**
     * Keeps the rows in place where they are most of the frame, so that keeping them keeps little else; otherwise
     * copies them.
     */
    private static ByteRange keep(byte[] frame, int offset, int size) {
        return size >= frame.length - frame.length / REST_SHARE ? new ByteRange(frame, offset, size)
                : ByteRange.of(Arrays.copyOfRange(frame, offset, offset + size));
    }

    private static ArrivedResult ofRows(Result result) {
        QueryRows rows = result.getRows();
        byte[] columns = QueryRows.newBuilder().addAllColumns(rows.getColumnsList()).build().toByteArray();
        return new ArrivedResult(result.getSequence(), columns, ByteRange.of(rows.getRows().toByteArray()),
                rows.getRowCount(), rows.getShapeSequence(), rows.getMoment());
    }

    /** Returns the length of what follows, which is all there; {@code in} has so many bytes in all. */
    private static int sizeOf(CodedInputStream in, int inSize) throws IOException {
        int size = in.readRawVarint32();
        if (size < 0 || size > inSize - in.getTotalBytesRead()) {
            throw new InvalidProtocolBufferException("a field of " + Integer.toUnsignedString(size) + " bytes");
        }
        return size;
    }

    private static int tag(int field, int wireType) {
        return field << 3 | wireType;
    }
}
