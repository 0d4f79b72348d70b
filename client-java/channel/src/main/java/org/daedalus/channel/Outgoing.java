package org.daedalus.channel;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;

/**
 * Operations that leave together or not at all, in order, and write themselves: entries of a batch
 * ({@link org.daedalus.wire.BatchFrame}).
 */
public interface Outgoing {
    /** Returns the bytes of all entries. */
    int size();

    /** Writes exactly {@link #size()} bytes. */
    void writeTo(CodedOutputStream out) throws IOException;
}
