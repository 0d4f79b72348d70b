package org.daedalus.client.internal.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.BatchFrame;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Route;

/** One operation on its way out, which writes itself without a message being made of it. Immutable. */
final class OperationBytes {
    /** An abort or a definition has no request: its header says nothing of routes, times and names. */
    private static final Request.Content NOTHING =
            Request.Content.of(OperationKind.OPERATION_KIND_UNSPECIFIED, ByteString.EMPTY, null);

    private final OperationKind kind;
    private final long sequence;
    private final Request.Content content;
    private final long remainingNs;
    private final long abortSequence;
    private final int shapeHandle;
    private final ReadTerms reads;
    /** The body is these, one after the other: encodings of one message that follow each other are read as one. */
    private final ByteString head;
    private final ByteString middle;
    private final ByteString tail;
    private final int headerSize;
    private final int size;

    private OperationBytes(OperationKind kind, long sequence, Request.Content content, long remainingNs,
            long abortSequence, int shapeHandle, ReadTerms reads, ByteString head, ByteString middle, ByteString tail) {
        this.kind = kind;
        this.sequence = sequence;
        this.content = content;
        this.remainingNs = remainingNs;
        this.abortSequence = abortSequence;
        this.shapeHandle = shapeHandle;
        this.reads = reads;
        this.head = head;
        this.middle = middle;
        this.tail = tail;
        this.headerSize = computeHeaderSize();
        this.size = fieldSize(headerSize) + (bodySize() == 0 ? 0 : fieldSize(bodySize()));
    }

    /** Returns one sending of a request, under the sequence and the terms that it has now. */
    static OperationBytes of(Request request, long nowNs) {
        Request.Content content = request.content;
        int handle = request.definition == null ? 0 : request.definition.handle;
        ByteString text = content.statement() == null || handle != 0 ? ByteString.EMPTY : content.statement().field();
        return new OperationBytes(content.kind(), request.sequence, content, Math.max(1, request.deadlineNs - nowNs), 0,
                handle, request.reads, text, content.body(), content.mayWrite() ? request.named() : ByteString.EMPTY);
    }

    static OperationBytes abort(long sequence, long aborted) {
        return new OperationBytes(OperationKind.OPERATION_KIND_ABORT, sequence, NOTHING, 0, aborted, 0,
                ReadTerms.NONE, ByteString.EMPTY, ByteString.EMPTY, ByteString.EMPTY);
    }

    static OperationBytes hold(long sequence, ByteString body, long prefixMin, long remainingNs) {
        return new OperationBytes(OperationKind.OPERATION_KIND_HOLD, sequence, NOTHING, remainingNs, 0, 0,
                ReadTerms.NONE.notBefore(prefixMin), body, ByteString.EMPTY, ByteString.EMPTY);
    }

    static OperationBytes define(StatementHandles.Definition definition, StatementText text) {
        return new OperationBytes(OperationKind.OPERATION_KIND_DEFINE, definition.sequence, NOTHING, 0, 0,
                definition.handle, ReadTerms.NONE, text.field(), ByteString.EMPTY, ByteString.EMPTY);
    }

    long sequence() {
        return sequence;
    }

    /** Says whether it tells what is held. */
    boolean isHold() {
        return kind == OperationKind.OPERATION_KIND_HOLD;
    }

    /** Says whether the statement travels by a handle. */
    boolean isByHandle() {
        return shapeHandle != 0;
    }

    /** Returns the bytes as an entry of a batch. */
    int entrySize() {
        return BatchFrame.entrySize(size);
    }

    /** Writes exactly {@link #entrySize} bytes. */
    void writeEntry(CodedOutputStream out) throws IOException {
        BatchFrame.writeEntryHead(out, size);
        out.writeTag(Operation.HEADER_FIELD_NUMBER, 2);
        out.writeUInt32NoTag(headerSize);
        writeHeader(out);
        if (bodySize() > 0) {
            out.writeTag(Operation.BODY_FIELD_NUMBER, 2);
            out.writeUInt32NoTag(bodySize());
            out.writeRawBytes(head);
            out.writeRawBytes(middle);
            out.writeRawBytes(tail);
        }
    }

    /** Returns the message that the receiver reads. */
    Operation toMessage() {
        byte[] entry = new byte[entrySize()];
        CodedOutputStream out = CodedOutputStream.newInstance(entry);
        try {
            writeEntry(out);
            out.checkNoSpaceLeft();
            return OperationBatch.parseFrom(entry).getOperations(0);
        } catch (IOException e) {
            throw new IllegalStateException("an operation that cannot be read back", e);
        }
    }

    private int bodySize() {
        return head.size() + middle.size() + tail.size();
    }

    private static int fieldSize(int messageSize) {
        return 1 + CodedOutputStream.computeUInt32SizeNoTag(messageSize) + messageSize;
    }

    // The header is spelled out twice in the order of its fields, once to count its bytes and once to write them.

    private int computeHeaderSize() {
        int count = uint64Size(OperationHeader.SEQUENCE_FIELD_NUMBER, sequence)
                + uint64Size(OperationHeader.KIND_FIELD_NUMBER, kind.getNumber())
                + uint64Size(OperationHeader.MAP_VERSION_FIELD_NUMBER, content.mapVersion())
                + uint64Size(OperationHeader.REMAINING_NS_FIELD_NUMBER, remainingNs)
                + uint64Size(OperationHeader.PRIORITY_FIELD_NUMBER, Integer.toUnsignedLong(content.priority()))
                + uint64Size(OperationHeader.PREFIX_MIN_FIELD_NUMBER, reads.prefixMin())
                + stringSize(OperationHeader.REQUEST_ID_FIELD_NUMBER, content.requestId())
                + stringSize(OperationHeader.PRINCIPAL_FIELD_NUMBER, content.principal())
                + uint64Size(OperationHeader.ABORT_SEQUENCE_FIELD_NUMBER, abortSequence)
                + uint64Size(OperationHeader.SHAPE_HANDLE_FIELD_NUMBER, shapeHandle)
                + uint64Size(OperationHeader.FRESHNESS_NS_FIELD_NUMBER, reads.freshnessNs());
        if (reads.isAtAMoment()) { // A moment may be 0, which is said, too.
            count += CodedOutputStream.computeUInt64Size(OperationHeader.AT_FIELD_NUMBER, reads.at())
                    + CodedOutputStream.computeBoolSize(OperationHeader.IS_FIRM_FIELD_NUMBER, true);
        }
        List<Route> routes = content.routes();
        for (int route = 0; route < routes.size(); route++) {
            count += CodedOutputStream.computeMessageSize(OperationHeader.ROUTES_FIELD_NUMBER, routes.get(route));
        }
        return count;
    }

    private void writeHeader(CodedOutputStream out) throws IOException {
        writeUInt64(OperationHeader.SEQUENCE_FIELD_NUMBER, sequence, out);
        writeUInt64(OperationHeader.KIND_FIELD_NUMBER, kind.getNumber(), out);
        writeUInt64(OperationHeader.MAP_VERSION_FIELD_NUMBER, content.mapVersion(), out);
        List<Route> routes = content.routes();
        for (int route = 0; route < routes.size(); route++) {
            out.writeMessage(OperationHeader.ROUTES_FIELD_NUMBER, routes.get(route));
        }
        writeUInt64(OperationHeader.REMAINING_NS_FIELD_NUMBER, remainingNs, out);
        writeUInt64(OperationHeader.PRIORITY_FIELD_NUMBER, Integer.toUnsignedLong(content.priority()), out);
        writeUInt64(OperationHeader.PREFIX_MIN_FIELD_NUMBER, reads.prefixMin(), out);
        writeString(OperationHeader.REQUEST_ID_FIELD_NUMBER, content.requestId(), out);
        writeString(OperationHeader.PRINCIPAL_FIELD_NUMBER, content.principal(), out);
        writeUInt64(OperationHeader.ABORT_SEQUENCE_FIELD_NUMBER, abortSequence, out);
        writeUInt64(OperationHeader.SHAPE_HANDLE_FIELD_NUMBER, shapeHandle, out);
        if (reads.isAtAMoment()) {
            out.writeUInt64(OperationHeader.AT_FIELD_NUMBER, reads.at());
            out.writeBool(OperationHeader.IS_FIRM_FIELD_NUMBER, true);
        }
        writeUInt64(OperationHeader.FRESHNESS_NS_FIELD_NUMBER, reads.freshnessNs(), out);
    }

    private static int uint64Size(int field, long value) {
        return value == 0 ? 0 : CodedOutputStream.computeUInt64Size(field, value);
    }

    private static void writeUInt64(int field, long value, CodedOutputStream out) throws IOException {
        if (value != 0) {
            out.writeUInt64(field, value);
        }
    }

    private static int stringSize(int field, String value) {
        return value.isEmpty() ? 0 : CodedOutputStream.computeStringSize(field, value);
    }

    private static void writeString(int field, String value, CodedOutputStream out) throws IOException {
        if (!value.isEmpty()) {
            out.writeString(field, value);
        }
    }
}
