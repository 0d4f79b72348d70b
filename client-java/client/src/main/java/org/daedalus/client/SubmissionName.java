package org.daedalus.client;

import com.google.protobuf.ByteString;
import java.util.HexFormat;
import org.daedalus.wire.v1.SubmissionId;

/**
 * Under which an update is submitted, so that another process may submit it again and it takes effect once
 * (docs/protocol.md, "Submissions"). Client and number are the name; the rest says when it can have had an effect.
 *
 * @param client 16 random bytes in hexadecimal, drawn once by whoever submits
 * @param number different for each of the client's updates
 * @param epoch of the writer, as far as it was known before the update was first sent; 0: it was not
 * @param numberedAfter updates up to this timestamp had numbers then
 * @param repeated it was sent before, and nobody has said that nothing came of it
 */
public record SubmissionName(String client, long number, long epoch, long numberedAfter, boolean repeated) {
    private static final int CLIENT_SIZE = 16;

    /** Refuses a client that is not 16 bytes in hexadecimal. */
    public SubmissionName {
        if (HexFormat.of().parseHex(client).length != CLIENT_SIZE) {
            throw new IllegalArgumentException("a submission's client has " + CLIENT_SIZE + " bytes: " + client);
        }
    }

    /** Names an update that was never sent. */
    public static SubmissionName of(String client, long number) {
        return new SubmissionName(client, number, 0, 0, false);
    }

    /**
     * Returns the name for submitting again; what was known when it was first sent makes sure that it takes effect
     * once.
     */
    public SubmissionName again(long firstEpoch, long firstNumberedAfter) {
        return new SubmissionName(client, number, firstEpoch, firstNumberedAfter, true);
    }

    SubmissionId toMessage() {
        return SubmissionId.newBuilder().setClient(ByteString.copyFrom(HexFormat.of().parseHex(client)))
                .setNumber(number).setEpoch(epoch).setNumberedAfter(numberedAfter).setRepeated(repeated).build();
    }
}
