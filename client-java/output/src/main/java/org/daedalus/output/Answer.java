package org.daedalus.output;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.List;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.ResultSet;
import org.daedalus.client.ReturnedRows;
import org.daedalus.client.Row;
import org.daedalus.wire.ColumnType;

/** Rows to be printed: of a query, or made by a command. Values are text as PostgreSQL spells it; null is NULL. */
public interface Answer {
    List<ResultColumn> columns();

    /** Returns the rows, once; throws what the answer ends in. */
    Iterator<String[]> rows();

    /** Rows that are there already. */
    static Answer of(List<ResultColumn> columns, List<String[]> rows) {
        return new Answer() {
            @Override
            public List<ResultColumn> columns() {
                return columns;
            }

            @Override
            public Iterator<String[]> rows() {
                return rows.iterator();
            }
        };
    }

    /** Makes the answer of an INSERT with RETURNING. */
    static Answer of(ReturnedRows returned) {
        return of(returned.columns(), returned.rows().stream().map(Answer::cells).toList());
    }

    /**
     * Rows as they arrive. A thread that is interrupted reads no further: the answer ends in 57014.
     *
     * @param zone by whose clocks timestamps with time zone are shown
     */
    static Answer of(ResultSet answer, ZoneId zone) {
        return new Answer() {
            @Override
            public List<ResultColumn> columns() {
                return answer.columns();
            }

            @Override
            public Iterator<String[]> rows() {
                Iterator<Row> rows = answer.iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        if (Thread.currentThread().isInterrupted()) {
                            answer.abort();
                            throw new DaedalusException(DaedalusException.Category.RETRY, "57014",
                                    "interrupted while reading an answer");
                        }
                        return rows.hasNext();
                    }

                    @Override
                    public String[] next() {
                        return cells(rows.next(), zone);
                    }
                };
            }
        };
    }

    /** Returns every value of a row as text, timestamps with time zone in UTC; null for NULL. */
    static String[] cells(Row row) {
        return cells(row, ZoneOffset.UTC);
    }

    /** Returns every value of a row as text, timestamps with time zone by the clocks of a zone; null for NULL. */
    static String[] cells(Row row, ZoneId zone) {
        String[] cells = new String[row.size()];
        for (int column = 0; column < cells.length; column++) {
            boolean isElsewhere = row.columns().get(column).type().kind() == ColumnType.Kind.TIMESTAMPTZ
                    && !zone.equals(ZoneOffset.UTC) && !row.isNull(column);
            cells[column] = isElsewhere ? SqlTimestampText.format(row.getInstant(column), row.getText(column), zone)
                    : row.getText(column);
        }
        return cells;
    }
}
