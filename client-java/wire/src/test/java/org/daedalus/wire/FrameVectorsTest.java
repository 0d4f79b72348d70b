package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.daedalus.wire.v1.Goodbye;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.KeepAlive;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.ResultBatch;
import org.junit.jupiter.api.Test;

/** The bytes of rpc/vectors/frames.json are the same here as in C++. */
class FrameVectorsTest {
    private static final Map<String, String> FAULTS = Map.of(
            "too_short", "length", "too_long", "length", "version", "version", "type", "type", "flags", "flags",
            "checksum", "checksum");

    private final JsonNode vectors = Vectors.read("frames.json");

    @Test
    void shouldParseAndSerialiseEveryMessageToTheSameBytes() throws Exception {
        assertThat(vectors.get("messages")).isNotEmpty();
        for (JsonNode vector : vectors.get("messages")) {
            byte[] bytes = bytes(vector, "bytes");
            String name = vector.get("message").asText();
            Message message = parsed(name, bytes);
            assertThat(message.getUnknownFields().asMap()).as(name).isEmpty();
            assertThat(message.toByteArray()).as(name).isEqualTo(bytes);
        }
    }

    /** The file was written by the first version and stays as it is. */
    @Test
    void shouldReadMessagesOfTheFirstVersionAsTheyWereMeant() throws Exception {
        int messages = 0;
        for (String line : Vectors.lines("messages-0.1.0.tsv")) {
            String[] fields = line.split("\t", -1);
            byte[] bytes = HexFormat.of().parseHex(fields[2]);
            if (fields[0].equals("frame")) {
                Frame frame = new Framer(Frame.SIZE_MAX).feed(ByteBuffer.wrap(bytes)).get(0);
                assertThat(frame.type().code()).isEqualTo(Integer.parseInt(fields[1]));
                parse(frame);
                continue;
            }
            messages++;
            Message message = parsed(fields[1], bytes);
            assertThat(message.getUnknownFields().asMap()).as(line).isEmpty();
            assertThat(message.toByteArray()).as(line).isEqualTo(bytes);
        }
        assertThat(messages).isGreaterThan(50);
    }

    @Test
    void shouldEncodeAndDecodeTheSameFrames() throws Exception {
        assertThat(vectors.get("frames")).isNotEmpty();
        for (JsonNode vector : vectors.get("frames")) {
            FrameType type = FrameType.ofCode(vector.get("type").asInt());
            byte[] payload = bytes(vector, "payload");
            byte[] bytes = bytes(vector, "frame");
            assertThat(new Frame(type, payload).encode()).isEqualTo(bytes);
            List<Frame> frames = new Framer(Frame.SIZE_MAX).feed(ByteBuffer.wrap(bytes));
            assertThat(frames).hasSize(1);
            assertThat(frames.get(0).type()).isEqualTo(type);
            assertThat(frames.get(0).payload()).isEqualTo(payload);
            parse(frames.get(0));
        }
    }

    @Test
    void shouldRefuseEveryMalformedFrame() {
        assertThat(vectors.get("malformed")).isNotEmpty();
        for (JsonNode vector : vectors.get("malformed")) {
            String fault = vector.get("error").asText();
            byte[] bytes = bytes(vector, "frame");
            try {
                for (Frame frame : new Framer(Frame.SIZE_MAX).feed(ByteBuffer.wrap(bytes))) {
                    parse(frame);
                }
                fail("accepted although " + vector);
            } catch (WireException refused) {
                assertThat(refused.getMessage()).as("%s", vector).contains(FAULTS.get(fault));
            } catch (InvalidProtocolBufferException unparsable) {
                assertThat(fault).as("%s", vector).isEqualTo("payload");
            }
        }
    }

    private static Message parsed(String name, byte[] bytes) throws Exception {
        Parser<?> parser = (Parser<?>) Class.forName("org." + name).getMethod("parser").invoke(null);
        return (Message) parser.parseFrom(bytes);
    }

    private static byte[] bytes(JsonNode vector, String field) {
        return HexFormat.of().parseHex(vector.get(field).asText());
    }

    private static Message parse(Frame frame) throws InvalidProtocolBufferException {
        return switch (frame.type()) {
            case HELLO -> Hello.parseFrom(frame.payload());
            case KEEP_ALIVE -> KeepAlive.parseFrom(frame.payload());
            case OPERATIONS -> OperationBatch.parseFrom(frame.payload());
            case RESULTS -> ResultBatch.parseFrom(frame.payload());
            case GOODBYE -> Goodbye.parseFrom(frame.payload());
        };
    }
}
