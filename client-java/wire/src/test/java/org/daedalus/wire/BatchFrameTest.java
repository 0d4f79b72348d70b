package org.daedalus.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationBatch;
import org.junit.jupiter.api.Test;

class BatchFrameTest {
    private final BatchFrame batch = new BatchFrame(FrameType.OPERATIONS);

    private static Operation operation(int bodySize) {
        return Operation.newBuilder().setBody(ByteString.copyFrom(new byte[bodySize])).build();
    }

    private void add(Operation operation) {
        int before = batch.payloadSize();
        batch.add(operation, operation.getSerializedSize());
        assertThat(batch.payloadSize() - before).isEqualTo(BatchFrame.entrySize(operation.getSerializedSize()));
    }

    @Test
    void shouldBeTheFrameOfTheBatchAsAMessage() throws Exception {
        for (List<Integer> sizes : List.of(List.of(0), List.of(1, 127, 128, 20_000), List.of(3, 200_000, 5))) {
            assertThat(batch.isEmpty()).isTrue();
            OperationBatch.Builder message = OperationBatch.newBuilder();
            for (int size : sizes) {
                add(operation(size));
                message.addOperations(operation(size));
            }
            assertThat(batch.isEmpty()).isFalse();
            byte[] frame = batch.take();
            assertThat(frame).isEqualTo(Frame.encode(FrameType.OPERATIONS, message.build()));
            assertThat(new Framer(Frame.SIZE_MAX).feed(ByteBuffer.wrap(frame))).hasSize(1);
        }
    }
}
