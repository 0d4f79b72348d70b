package org.daedalus.wire;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.util.Arrays;

/**
 * A frame of many messages that is put together entry by entry, each written once, in place: the payload is that of an
 * OperationBatch or a ResultBatch, whose only field is the repeated message. Not thread-safe.
 */
public final class BatchFrame {
    /** The batch's only field has number 1 and is a message. */
    private static final byte ENTRY_TAG = 0x0a;
    private static final int START_SIZE = 1 << 12;
    /** The next frame reuses a buffer up to this size: a frame of such a size is usual under load. */
    private static final int KEPT_SIZE_MAX = 1 << 16;

    private final FrameType type;
    private byte[] bytes = new byte[START_SIZE];
    private int size = Frame.HEADER_SIZE;

    public BatchFrame(FrameType type) {
        this.type = type;
    }

    /** Returns the bytes that a message of {@code messageSize} bytes takes as an entry of the batch. */
    public static int entrySize(int messageSize) {
        return 1 + CodedOutputStream.computeUInt32SizeNoTag(messageSize) + messageSize;
    }

    /** Begins an entry; its message of {@code messageSize} bytes must follow. */
    public static void writeEntryHead(CodedOutputStream out, int messageSize) throws IOException {
        out.write(ENTRY_TAG);
        out.writeUInt32NoTag(messageSize);
    }

    public boolean isEmpty() {
        return size == Frame.HEADER_SIZE;
    }

    /** Returns the bytes of all entries so far. */
    public int payloadSize() {
        return size - Frame.HEADER_SIZE;
    }

    /** Returns the stream to which exactly {@code entriesSize} bytes, whole entries, are to be written next. */
    public CodedOutputStream extend(int entriesSize) {
        int end = Math.addExact(size, entriesSize);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Frame.SIZE_MAX, Math.max(2L * bytes.length, end)));
        }
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, size, entriesSize);
        size = end;
        return out;
    }

    /** Adds one message; {@code messageSize} is its serialized size. */
    public void add(MessageLite message, int messageSize) {
        CodedOutputStream out = extend(entrySize(messageSize));
        try {
            writeEntryHead(out, messageSize);
            message.writeTo(out);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new IllegalStateException("a message has written more than its size", e);
        }
    }

    /** Returns the frame's bytes; the batch is empty afterwards. Cost: one copy, one pass of CRC-32C. */
    public byte[] take() {
        byte[] frame = Arrays.copyOf(bytes, size + Frame.CHECKSUM_SIZE);
        size = Frame.HEADER_SIZE;
        bytes = bytes.length > KEPT_SIZE_MAX ? new byte[START_SIZE] : bytes;
        return Frame.finish(type, frame);
    }
}
