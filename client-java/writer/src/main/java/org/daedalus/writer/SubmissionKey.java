package org.daedalus.writer;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import org.daedalus.wire.v1.SubmissionId;

/**
 * Names one submission for ever. Holds nothing of the message that it was read from.
 *
 * @param clientHigh the first half of 16 random bytes, drawn once by whoever submits
 * @param clientLow the second half
 * @param number unsigned
 */
public record SubmissionKey(long clientHigh, long clientLow, long number) {
    private static final int CLIENT_SIZE = 16;

    /** Returns the key of a submission of the wire; null when it has none. */
    static SubmissionKey of(SubmissionId id) {
        ByteString client = id.getClient();
        if (client.size() != CLIENT_SIZE) {
            return null;
        }
        ByteBuffer bytes = client.asReadOnlyByteBuffer();
        return new SubmissionKey(bytes.getLong(), bytes.getLong(), id.getNumber());
    }
}
