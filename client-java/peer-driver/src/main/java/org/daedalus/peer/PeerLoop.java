package org.daedalus.peer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.daedalus.workload.SqlStatement;

/** One thread's work: it takes a connection from the pool, runs one statement, reads its rows and gives it back. */
final class PeerLoop implements Runnable {
    private final DataSource pool;
    private final Supplier<SqlStatement> source;
    private final Window window;
    private final long gapNs;

    /**
     * A loop until the window's end.
     *
     * @param source called by this thread only, or thread-safe
     * @param gapNs between the times at which statements are due; 0: each leaves when the one before has ended
     */
    PeerLoop(DataSource pool, Supplier<SqlStatement> source, Window window, long gapNs) {
        this.pool = pool;
        this.source = source;
        this.window = window;
        this.gapNs = gapNs;
    }

    @Override
    public void run() {
        long dueNs = System.nanoTime();
        while (!window.isOver(System.nanoTime())) {
            for (long leftNs = dueNs - System.nanoTime(); leftNs > 0; leftNs = dueNs - System.nanoTime()) {
                LockSupport.parkNanos(leftNs);
            }
            try {
                long rows = execute(source.get());
                window.answered(System.nanoTime(), rows);
            } catch (SQLException e) {
                window.failed(e);
            }
            dueNs += gapNs;
        }
    }

    private long execute(SqlStatement statement) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement prepared = connection.prepareStatement(PlaceholderText.of(statement))) {
            PlaceholderText.bind(statement, prepared);
            if (!prepared.execute()) {
                return prepared.getUpdateCount();
            }
            long rows = 0;
            try (ResultSet answer = prepared.getResultSet()) {
                while (answer.next()) {
                    rows++;
                }
            }
            return rows;
        }
    }
}
