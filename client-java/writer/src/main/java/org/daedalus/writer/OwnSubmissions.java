package org.daedalus.writer;

import com.google.protobuf.ByteString;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.daedalus.wire.v1.SubmissionId;

/** Names for the updates of this very process that have none: its own, drawn at random, and a number each. */
final class OwnSubmissions {
    private static final int CLIENT_SIZE = 16;

    private final ByteString client;
    private final AtomicLong last = new AtomicLong();

    OwnSubmissions() {
        byte[] id = new byte[CLIENT_SIZE];
        new SecureRandom().nextBytes(id);
        client = ByteString.copyFrom(id);
    }

    SubmissionId next() {
        return SubmissionId.newBuilder().setClient(client).setNumber(last.incrementAndGet()).build();
    }
}
