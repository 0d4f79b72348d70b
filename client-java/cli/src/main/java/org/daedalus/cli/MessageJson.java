package org.daedalus.cli;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import org.daedalus.output.Json;

/**
 * A message of the wire as JSON: every field under its own name, those without a value too, 64-bit numbers as numbers.
 */
final class MessageJson {
    private MessageJson() {}

    static void write(Message message, Json json) {
        json.open('{');
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            json.key(field.getName());
            if (field.isRepeated()) {
                json.open('[');
                for (Object element : (List<?>) message.getField(field)) {
                    writeValue(field, element, json);
                }
                json.close(']');
            } else {
                writeValue(field, message.getField(field), json);
            }
        }
        json.close('}');
    }

    private static void writeValue(FieldDescriptor field, Object value, Json json) {
        switch (field.getType()) {
            case MESSAGE -> write((Message) value, json);
            case UINT64, FIXED64 -> json.literal(Long.toUnsignedString((Long) value));
            case UINT32, FIXED32 -> json.literal(Integer.toUnsignedString((Integer) value));
            case INT32, INT64, BOOL -> json.literal(value.toString());
            default -> json.string(value.toString());
        }
    }
}
