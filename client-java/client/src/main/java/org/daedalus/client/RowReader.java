package org.daedalus.client;

import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireException;

/** Unpacks rows one by one, when they are asked for, from batch after batch. Not thread-safe. */
final class RowReader {
    private final ResultColumns columns;
    private PackedRows batch;

    RowReader(ResultColumns columns) {
        this.columns = columns;
    }

    void use(ByteRange packed) {
        batch = PackedRows.ofAnswer(columns.types(), packed);
    }

    /** Says whether {@link #next} has a row without another batch. */
    boolean hasNext() {
        return batch != null && batch.hasNext();
    }

    Row next() {
        try {
            return new Row(columns, batch.next());
        } catch (WireException e) {
            throw new DaedalusException(Category.FATAL, "08P01", "malformed row: " + e.getMessage());
        }
    }
}
