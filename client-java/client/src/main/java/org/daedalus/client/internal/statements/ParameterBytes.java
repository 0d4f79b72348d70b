package org.daedalus.client.internal.statements;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.util.Arrays;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.PackedValues;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.StatementBody;

/**
 * Parameters as they travel: the fields {@code parameters} of a StatementBody, written value by value without messages
 * being made of them. Not thread-safe.
 */
public final class ParameterBytes {
    /** Most statements have a few short values. */
    private static final int START_SIZE = 128;
    private static final int VALUE_START_SIZE = 32;

    private byte[] bytes = new byte[START_SIZE];
    private int size;
    private final ByteWriter packed = new ByteWriter(VALUE_START_SIZE);

    /** Returns all of {@code values}; throws IllegalArgumentException for a class that no type corresponds to. */
    public static ByteString of(Object... values) {
        if (values.length == 0) {
            return ByteString.EMPTY;
        }
        ParameterBytes all = new ParameterBytes();
        for (Object value : values) {
            all.add(value);
        }
        return all.toByteString();
    }

    /** Adds one more; throws IllegalArgumentException for a class that no type corresponds to. */
    void add(Object value) {
        Parameters.Typed typed = Parameters.of(value);
        packed.clear();
        if (typed.value() != null) {
            PackedValues.append(typed.type(), typed.value(), packed);
        }
        ByteString type = typed.wireType();
        int constantSize = fieldSize(type.size())
                + (typed.value() == null ? CodedOutputStream.computeBoolSize(Constant.IS_NULL_FIELD_NUMBER, true)
                        : fieldSize(packed.size()));
        int entrySize = fieldSize(constantSize);
        if (size + entrySize > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, entrySize)));
        }
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, size, entrySize);
        try {
            out.writeTag(StatementBody.PARAMETERS_FIELD_NUMBER, 2);
            out.writeUInt32NoTag(constantSize);
            out.writeBytes(Constant.TYPE_FIELD_NUMBER, type);
            if (typed.value() == null) {
                out.writeBool(Constant.IS_NULL_FIELD_NUMBER, true);
            } else {
                out.writeTag(Constant.PACKED_FIELD_NUMBER, 2);
                out.writeUInt32NoTag(packed.size());
                out.write(packed.array(), 0, packed.size());
            }
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new IllegalStateException("a parameter has written more than its size", e);
        }
        size += entrySize;
    }

    /** Everything; nothing can be added any more. Copied where most of the room would stay unused. */
    ByteString toByteString() {
        return UnsafeByteOperations.unsafeWrap(size < bytes.length / 2 ? Arrays.copyOf(bytes, size) : bytes, 0, size);
    }

    /** Returns the size of a field with a number below 16. */
    private static int fieldSize(int contentSize) {
        return 1 + CodedOutputStream.computeUInt32SizeNoTag(contentSize) + contentSize;
    }
}
