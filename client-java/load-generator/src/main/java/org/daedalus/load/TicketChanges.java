package org.daedalus.load;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.daedalus.workload.ChangeProportions;
import org.daedalus.workload.ChangeSource;
import org.daedalus.workload.SqlStatement;
import org.daedalus.workload.TicketGenerator;

/**
 * Changes of tickets. The first of them are made before they are needed, later
 * ones when they are: unlike queries none may come twice, because an INSERT would double its rows. For one thread.
 */
final class TicketChanges implements Supplier<SqlStatement> {
    private static final int AHEAD = 20_000;

    private final ChangeSource source;
    private final Deque<SqlStatement> made = new ArrayDeque<>();

    /**
     * Changes of the first {@code tickets} tickets, at the pace of the schedule's own clock.
     *
     * @param sold not to be used elsewhere from now on
     * @param perSecond how many there will be
     * @param expected how many will be needed; not a bound
     * @param proportions of the kinds of changes
     */
    TicketChanges(TicketGenerator sold, long tickets, long seed, double perSecond, double expected,
            ChangeProportions proportions) {
        Duration pace = Duration.ofNanos((long) (1e9 / perSecond));
        source = new ChangeSource(sold, sold.bookingsOf(tickets), seed, proportions, pace);
        for (long ahead = (long) Math.min(AHEAD, expected); ahead > 0; ahead--) {
            made.add(source.next().statement());
        }
    }

    @Override
    public SqlStatement get() {
        SqlStatement next = made.poll();
        return next != null ? next : source.next().statement();
    }
}
