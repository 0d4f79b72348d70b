package org.daedalus.client;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.WireException;

/** The rows that {@code INSERT ... RETURNING} gave back; other statements have no columns here. Immutable. */
public final class ReturnedRows implements Serializable {
    /** A statement without RETURNING gives these back. */
    public static final ReturnedRows NONE = new ReturnedRows(org.daedalus.wire.v1.ReturnedRows.getDefaultInstance());

    private static final long serialVersionUID = 1;

    private final org.daedalus.wire.v1.ReturnedRows message;

    private ReturnedRows(org.daedalus.wire.v1.ReturnedRows message) {
        this.message = message;
    }

    static ReturnedRows of(org.daedalus.wire.v1.ReturnedRows message) {
        return message.getColumnsCount() == 0 ? NONE : new ReturnedRows(message);
    }

    /** Says whether the statement has RETURNING. */
    public boolean isAsked() {
        return message.getColumnsCount() > 0;
    }

    /**
     * Says whether the rows are there. They are not when some were refused, nor when the statement had to be sent again
     * and what had taken effect before is not just what it would come to now, as it may with {@code now()}.
     */
    public boolean isKnown() {
        return isAsked() && !message.getAreUnknown();
    }

    /** Returns the columns that RETURNING named, in its order. */
    public List<ResultColumn> columns() {
        return read().list();
    }

    /** Returns the rows, in the order in which they were inserted; none when they are not known. */
    public List<Row> rows() {
        RowReader reader = new RowReader(read());
        reader.use(ByteRange.of(message.getRows().toByteArray()));
        List<Row> rows = new ArrayList<>(message.getRowCount());
        while (reader.hasNext()) {
            rows.add(reader.next());
        }
        return rows;
    }

    private ResultColumns read() {
        try {
            return new ResultColumns(message.getColumnsList());
        } catch (WireException e) {
            throw new DaedalusException(Category.FATAL, "08P01", "malformed columns of RETURNING: " + e.getMessage());
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReturnedRows rows && message.equals(rows.message);
    }

    @Override
    public int hashCode() {
        return message.hashCode();
    }

    @Override
    public String toString() {
        return isAsked() ? message.getRowCount() + " rows of " + message.getColumnsCount() + " columns" : "none";
    }
}
