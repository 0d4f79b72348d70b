package org.daedalus.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.daedalus.workload.AnyQueries;
import org.daedalus.workload.BookingQueries;
import org.daedalus.workload.SqlStatement;
import org.daedalus.workload.TicketGenerator;

/**
 * Queries on tickets by the name of their mix, made before they are needed, so that making them costs nothing under
 * load; after so many different ones the first comes again. Thread-safe.
 */
public final class TicketQueries implements Supplier<SqlStatement> {
    private static final int DIFFERENT = 20_000;
    private static final String BOOKING = "booking";
    private static final String ANY = "any:";

    private final SqlStatement[] statements;
    private final AtomicInteger next = new AtomicInteger();

    private TicketQueries(Supplier<SqlStatement> source, int different) {
        statements = Stream.generate(source).limit(different).toArray(SqlStatement[]::new);
    }

    /**
     * Queries on the first {@code tickets} tickets.
     *
     * @param mix "booking", or "any:S" for attributes drawn by Zipf(S)
     * @param sold not to be used elsewhere from now on
     */
    public static TicketQueries of(String mix, TicketGenerator sold, long tickets, long seed) {
        return of(mix, sold, tickets, seed, DIFFERENT);
    }

    /**
     * Makes queries of which the first comes again after {@code different} ones.
     *
     * @param mix "booking", or "any:S" for attributes drawn by Zipf(S)
     * @param sold not to be used elsewhere from now on
     */
    public static TicketQueries of(String mix, TicketGenerator sold, long tickets, long seed, int different) {
        long bookings = sold.bookingsOf(tickets);
        if (mix.equals(BOOKING)) {
            return new TicketQueries(new BookingQueries(sold, bookings, seed)::next, different);
        }
        if (mix.startsWith(ANY)) {
            double skew = Double.parseDouble(mix.substring(ANY.length()));
            return new TicketQueries(new AnyQueries(sold, bookings, seed, skew)::next, different);
        }
        throw new IllegalArgumentException("no mix is called \"" + mix + "\": booking, or any:S");
    }

    @Override
    public SqlStatement get() {
        return statements[Math.floorMod(next.getAndIncrement(), statements.length)];
    }
}
