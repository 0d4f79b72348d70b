package org.daedalus.writer;

import com.google.protobuf.ByteString;
import org.daedalus.wire.v1.SubmissionId;

/**
 * Names one submission for ever.
 *
 * @param client 16 random bytes, drawn once by whoever submits
 * @param number unsigned
 */
public record SubmissionKey(ByteString client, long number) {
    private static final int CLIENT_SIZE = 16;

    /** The key of a submission of the wire; null when it has none. */
    static SubmissionKey of(SubmissionId id) {
        return id.getClient().size() == CLIENT_SIZE ? new SubmissionKey(id.getClient(), id.getNumber()) : null;
    }
}
