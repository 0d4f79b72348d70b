package org.daedalus.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import org.daedalus.wire.Frame;
import org.daedalus.wire.FrameType;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.OperationHeader;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;
import org.junit.jupiter.api.Test;

class ChannelTest {
    private static final long MS = 1_000_000;
    private static final Hello CLIENT = Hello.newBuilder().setRole(Role.ROLE_CLIENT).setName("client").build();
    private static final Hello AGGREGATOR = Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setName("aggregator-0")
            .setClusterId("flights-1").setMapVersion(3).build();

    private final Channel left = new Channel(CLIENT, ChannelLimits.DEFAULT, 0);
    private final Channel right = new Channel(AGGREGATOR, ChannelLimits.DEFAULT, 0);

    @Test
    void shouldExchangeHellosThenMessagesInFewFrames() {
        connect();
        for (int sequence = 1; sequence <= 100; sequence++) {
            assertThat(left.offer(operation(sequence, 10), 0)).isEqualTo(Channel.Offer.ACCEPTED);
        }
        Effects sent = left.flush(1);
        assertThat(sent.frames()).hasSize(1);
        Effects received = deliver(sent, right, 1);
        assertThat(received.operations()).extracting(operation -> operation.getHeader().getSequence())
                .hasSize(100).isSorted();
        right.offer(Result.newBuilder().setSequence(7).build(), 0);
        assertThat(deliver(right.flush(1), left, 1).results()).hasSize(1);
    }

    @Test
    void shouldDeliverMessagesThatDoNotHoldOnToTheirFrame() {
        connect();
        left.offer(operation(1, 10), 0);
        left.offer(operation(2, 100_000), 0);
        ByteString kept = deliver(left.flush(1), right, 1).operations().get(0).getBody();
        assertThat(kept.size()).isEqualTo(10);
        assertThat(kept.asReadOnlyByteBuffer().capacity()).as("bytes that stay as long as it does").isEqualTo(10);
    }

    @Test
    void shouldRefuseMessagesBeforeTheHello() {
        assertThat(left.offer(operation(1, 1), 0)).isEqualTo(Channel.Offer.DOWN);
        byte[] early = new Frame(FrameType.OPERATIONS, OperationBatch.getDefaultInstance().toByteArray()).encode();
        assertThat(left.onBytes(ByteBuffer.wrap(early), 1).closeReason()).contains("no hello");
    }

    @Test
    void shouldRefuseSecondHello() {
        connect();
        byte[] again = new Frame(FrameType.HELLO, CLIENT.toByteArray()).encode();
        assertThat(right.onBytes(ByteBuffer.wrap(again), 1).closeReason()).contains("second hello");
    }

    @Test
    void shouldRefuseAPeerWhoseBuildIsNeitherOlderNorNewer() {
        Hello ours = CLIENT.toBuilder().addAllLanguages(List.of(1L, 2L)).build();
        for (List<Long> theirs : List.of(List.<Long>of(), List.of(1L), List.of(1L, 2L, 3L))) {
            Channel other = new Channel(CLIENT.toBuilder().addAllLanguages(theirs).build(), ChannelLimits.DEFAULT, 0);
            assertThat(deliver(other.flush(0), new Channel(ours, ChannelLimits.DEFAULT, 0), 1).closeReason()).isNull();
        }
        Hello theirs = CLIENT.toBuilder().addAllLanguages(List.of(1L, 9L)).build();
        Channel other = new Channel(theirs, ChannelLimits.DEFAULT, 0);
        assertThat(deliver(other.flush(0), new Channel(ours, ChannelLimits.DEFAULT, 0), 1).closeReason())
                .contains("client speaks language 0000000000000009, this side 0000000000000002");
    }

    @Test
    void shouldNameWhatDiffersBetweenClusters() {
        Channel other = new Channel(CLIENT.toBuilder().setClusterId("flights-2").build(), ChannelLimits.DEFAULT, 0);
        Effects refused = deliver(other.flush(0), right, 1);
        assertThat(refused.closeReason()).contains("cluster id differs: flights-1 here, flights-2 at client");
        assertThat(deliver(refused, left, 1).closeReason()).contains("goodbye").contains("flights-2");
    }

    @Test
    void shouldKeepAliveAfterHalfASecondOfSilenceAndGiveUpAfterTwo() {
        connect();
        assertThat(left.nextDeadlineNs()).isEqualTo(500 * MS);
        assertThat(left.onTick(499 * MS).frames()).isEmpty();
        Effects beat = left.onTick(500 * MS);
        assertThat(beat.frames()).hasSize(1);
        assertThat(deliver(beat, right, 500 * MS).closeReason()).isNull();
        assertThat(left.nextDeadlineNs()).isEqualTo(1_000 * MS);
        assertThat(left.onTick(1_999 * MS).closeReason()).isNull();
        assertThat(left.onTick(2_000 * MS).closeReason()).contains("2000 ms");
        assertThat(left.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(right.onTick(2_499 * MS).closeReason()).isNull();
        assertThat(right.onTick(2_500 * MS).closeReason()).isNotNull();
    }

    @Test
    void shouldCloseOnGarbageWithReason() {
        connect();
        byte[] garbage = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        Effects effects = right.onBytes(ByteBuffer.wrap(garbage), 1);
        assertThat(effects.closeReason()).contains("malformed");
        assertThat(effects.frames()).hasSize(1);
        assertThat(right.onBytes(ByteBuffer.wrap(garbage), 2).closeReason()).isNull();
        byte[] unparsable = new Frame(FrameType.RESULTS, new byte[] {1, 2, 3}).encode();
        assertThat(left.onBytes(ByteBuffer.wrap(unparsable), 1).closeReason()).contains("malformed");
    }

    @Test
    void shouldRefuseMessagesBeyondFrameAndQueueBounds() {
        connect();
        assertThat(left.offer(operation(1, 16 << 20), 0)).isEqualTo(Channel.Offer.TOO_LARGE);
        Operation large = operation(1, left.messageSizeMax() - 100);
        assertThat(left.offer(operation(2, 1_000), 0)).isEqualTo(Channel.Offer.ACCEPTED);
        assertThat(left.offer(large, 0)).isEqualTo(Channel.Offer.ACCEPTED);
        Effects sent = left.flush(1);
        assertThat(sent.frames()).hasSize(2)
                .allSatisfy(frame -> assertThat(frame.length).isLessThanOrEqualTo(16 << 20));
        assertThat(deliver(sent, right, 1).operations()).hasSize(2);
        assertThat(left.offer(large, 60L << 20)).isEqualTo(Channel.Offer.FULL);
    }

    @Test
    void shouldSendWhatIsQueuedBeforeGoodbye() {
        connect();
        left.offer(operation(1, 5), 0);
        Effects closing = left.close("done", 1);
        assertThat(closing.closeReason()).isEqualTo("done");
        Effects seen = deliver(closing, right, 1);
        assertThat(seen.operations()).hasSize(1);
        assertThat(seen.closeReason()).isEqualTo("peer said goodbye: done");
        assertThat(left.offer(operation(2, 5), 0)).isEqualTo(Channel.Offer.DOWN);
    }

    private void connect() {
        assertThat(deliver(left.flush(0), right, 0).peer().getName()).isEqualTo("client");
        assertThat(deliver(right.flush(0), left, 0).peer().getMapVersion()).isEqualTo(3);
    }

    private static Operation operation(long sequence, int bodySize) {
        return Operation.newBuilder().setHeader(OperationHeader.newBuilder().setSequence(sequence))
                .setBody(ByteString.copyFrom(new byte[bodySize])).build();
    }

    private static Effects deliver(Effects from, Channel to, long nowNs) {
        Effects all = new Effects();
        for (byte[] frame : List.copyOf(from.frames())) {
            Effects step = to.onBytes(ByteBuffer.wrap(frame), nowNs);
            all.frames().addAll(step.frames());
            all.operations().addAll(step.operations());
            all.results().addAll(step.results());
            if (step.peer() != null) {
                all.setPeer(step.peer());
            }
            if (step.closeReason() != null) {
                all.setCloseReason(step.closeReason());
            }
        }
        return all;
    }
}
