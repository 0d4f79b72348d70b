package org.daedalus.client.internal.protocol;

import com.google.protobuf.ByteString;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Result;

/** Tells a core which epoch the writer is in, without which nothing that it sends can be numbered. */
final class Descriptions {
    private Descriptions() {}

    /** Asks the next aggregator to describe the cluster, which says that the writer is in epoch 3. */
    static void learnEpoch(ClientCore core) {
        ClientActions.Send asked = core.submit(new Request(
                Request.Content.of(OperationKind.OPERATION_KIND_DESCRIBE, ByteString.EMPTY, null), null,
                Long.MAX_VALUE), 0).sends().get(0);
        core.onResult(asked.peerId(), Result.newBuilder()
                .setSequence(asked.operation().getHeader().getSequence())
                .setDescribed(DescribeReply.newBuilder().setEpoch(3).setConfirmed(40)).build(), 0);
    }
}
