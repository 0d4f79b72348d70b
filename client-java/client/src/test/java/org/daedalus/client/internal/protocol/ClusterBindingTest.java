package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.List;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Role;
import org.junit.jupiter.api.Test;

/** A client connects to one cluster, which another one may replace. */
class ClusterBindingTest {
    private static final String A = "a:1";
    private static final String B = "b:1";
    private static final Hello OTHER_CLUSTER = Hellos.of("another", "schema");
    private static final Hello OTHER_SCHEMA = Hellos.of("cluster", "another");

    private ClientCore core = new ClientCore(List.of(A, B), true, "");

    private static Request query() {
        return new Request(Request.Content.of(OperationKind.OPERATION_KIND_SELECT, ByteString.EMPTY, null), null,
                1_000);
    }

    private String refusal(String endpoint, long peer, Hello hello) {
        return core.onUp(endpoint, peer, hello, 0).peerRefusal();
    }

    @Test
    void shouldLeaveAPeerThatIsNoAggregator() {
        assertThat(refusal(A, 1, Hellos.AGGREGATOR.toBuilder().setRole(Role.ROLE_STORAGE_NODE).build()))
                .isEqualTo("expected an aggregator, found ROLE_STORAGE_NODE");
        assertThat(core.cluster()).isEqualTo(ClusterIdentity.NONE);
        assertThat(core.submit(query(), 0).sends()).isEmpty();
    }

    @Test
    void shouldExpectOfEveryConnectionTheClusterOfThoseThatAreThere() {
        assertThat(core.expectedCluster()).isEqualTo(ClusterIdentity.NONE);
        assertThat(refusal(A, 1, Hellos.AGGREGATOR)).isNull();
        assertThat(core.expectedCluster()).isEqualTo(ClusterIdentity.of(Hellos.AGGREGATOR));
        core.onDown(A, 1, "reset", 0);
        assertThat(core.expectedCluster()).as("the next one may be another").isEqualTo(ClusterIdentity.NONE);
    }

    @Test
    void shouldLeaveASecondClusterThatWasDialledBeforeTheFirstAnswered() {
        assertThat(refusal(A, 1, Hellos.AGGREGATOR)).isNull();
        assertThat(refusal(B, 2, OTHER_CLUSTER)).isEqualTo("expected cluster cluster with schema schema, "
                + "found cluster another with schema schema");
        assertThat(refusal(B, 3, OTHER_SCHEMA)).contains("found cluster cluster with schema another");
        assertThat(core.cluster()).isEqualTo(ClusterIdentity.of(Hellos.AGGREGATOR));
        for (int round = 0; round < 2; round++) {
            assertThat(core.submit(query(), 0).sends()).extracting(ClientActions.Send::peerId).containsExactly(1L);
        }
    }

    @Test
    void shouldFollowToAnotherClusterOnceEveryConnectionIsLost() {
        assertThat(refusal(A, 1, Hellos.AGGREGATOR)).isNull();
        assertThat(refusal(B, 2, Hellos.AGGREGATOR)).isNull();
        core.onDown(A, 1, "reset", 0);
        assertThat(refusal(A, 3, OTHER_SCHEMA)).isNotNull();
        core.onDown(B, 2, "reset", 0);
        assertThat(refusal(A, 4, OTHER_SCHEMA)).isNull();
        assertThat(core.cluster()).isEqualTo(ClusterIdentity.of(OTHER_SCHEMA));
    }

    @Test
    void shouldNeverLeaveTheClusterThatTheApplicationNamed() {
        core = new ClientCore(List.of(A, B), true, "cluster");
        assertThat(core.expectedCluster().clusterId()).isEqualTo("cluster");
        assertThat(refusal(A, 1, OTHER_CLUSTER)).contains("found cluster another");
        assertThat(refusal(A, 2, Hellos.AGGREGATOR)).isNull();
        core.onDown(A, 2, "reset", 0);
        assertThat(core.expectedCluster()).isEqualTo(new ClusterIdentity("cluster", "", 0));
        assertThat(refusal(A, 3, OTHER_CLUSTER)).isNotNull();
        assertThat(refusal(A, 4, OTHER_SCHEMA)).as("the same cluster, created afresh").isNull();
    }

    @Test
    void shouldTakeAPeerThatDoesNotSayWhichClusterItServes() {
        assertThat(refusal(A, 1, Hellos.of("", ""))).isNull();
        assertThat(refusal(B, 2, Hellos.AGGREGATOR)).isNull();
    }
}
