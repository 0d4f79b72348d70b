package org.daedalus.client.internal.answers;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.QueryRows;

/**
 * The columns of answers, read once however many answers have them: a program asks the same few hundred statements all
 * the time, and every answer names its columns. What is found is compared whole. Not thread-safe.
 */
public final class ColumnsCache {
    /** Columns that fall on the place of others drive them out. */
    private static final int PLACES = 1 << 10;
    private static final int ENCODED_SIZE_MAX = 1 << 14;

    private record Known(byte[] encoded, ResultColumns columns) {}

    private final Known[] places = new Known[PLACES];
    private final CRC32C checksum = new CRC32C();

    /** Returns the columns of which {@code encoded} are the fields of a QueryRows; throws when they are malformed. */
    public ResultColumns of(byte[] encoded) throws WireException {
        if (encoded.length > ENCODED_SIZE_MAX) {
            return read(encoded);
        }
        checksum.reset();
        checksum.update(encoded, 0, encoded.length);
        int place = (int) checksum.getValue() & PLACES - 1;
        Known known = places[place];
        if (known == null || !Arrays.equals(known.encoded, encoded)) {
            known = new Known(encoded, read(encoded));
            places[place] = known;
        }
        return known.columns;
    }

    private static ResultColumns read(byte[] encoded) throws WireException {
        try {
            return new ResultColumns(QueryRows.parseFrom(encoded).getColumnsList());
        } catch (InvalidProtocolBufferException e) {
            throw new WireException("columns that cannot be read: " + e.getMessage(), e);
        }
    }
}
