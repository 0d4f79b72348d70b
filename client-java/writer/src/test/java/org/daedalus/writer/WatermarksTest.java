package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.daedalus.wire.v1.NodeWatermark;
import org.daedalus.wire.v1.WriteConfirmed;
import org.junit.jupiter.api.Test;

class WatermarksTest {
    private final Watermarks watermarks = new Watermarks();

    private static NodeWatermark node(int node, long durable) {
        return NodeWatermark.newBuilder().setNode(node).setDurable(durable).build();
    }

    @Test
    void shouldKnowTheSlowestAndTheFirstOfEquals() {
        watermarks.start(node(0, 7));
        watermarks.start(node(1, 5));
        watermarks.start(node(2, 5));
        assertThat(watermarks.slowest().getKey()).isEqualTo(1);
        assertThat(watermarks.lowest()).isEqualTo(5);
        assertThat(watermarks.of(0)).isEqualTo(7);
        assertThat(watermarks.of(9)).isZero();
    }

    @Test
    void shouldNeverFallAndSayWhenTheLowestRises() {
        watermarks.start(node(0, 7));
        watermarks.start(node(1, 5));
        assertThat(watermarks.advance(WriteConfirmed.newBuilder().addWatermarks(node(0, 9)).build())).isFalse();
        assertThat(watermarks.advance(WriteConfirmed.newBuilder().addWatermarks(node(1, 4)).build())).isFalse();
        assertThat(watermarks.advance(WriteConfirmed.newBuilder().addWatermarks(node(1, 6)).build())).isTrue();
        assertThat(watermarks.of(0)).isEqualTo(9);
        assertThat(watermarks.lowest()).isEqualTo(6);
    }
}
