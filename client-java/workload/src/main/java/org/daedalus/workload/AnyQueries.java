package org.daedalus.workload;

import java.util.EnumSet;
import java.util.Set;

/**
 * Asks questions that anybody could ask, endless and deterministic: conditions on 7 to 11 attributes, 9 on average,
 * drawn without repetition from a Zipf(s) distribution over all 47 in the order of {@link Column}: s = 0 asks for any
 * of them, s = 2 nearly always for the first ones. 27 are fetched on average. Not thread-safe, as the generator.
 */
public final class AnyQueries {
    private static final long STREAM = 0x95;
    private static final int CONDITIONS_MIN = 7;
    private static final int CONDITIONS_MAX = 11;

    private final Draws draws = new Draws();
    private final TicketSample sample;
    private final Predicates predicates = new Predicates(draws);
    private final double[] weights = new double[Column.count()];

    /**
     * Asks for tickets of the first {@code bookingCount} bookings.
     *
     * @param skew the s of Zipf(s), from 0
     */
    public AnyQueries(TicketGenerator tickets, long bookingCount, long seed, double skew) {
        if (!(skew >= 0 && skew <= 10)) {
            throw new IllegalArgumentException("the skew is " + skew + ": give an s of Zipf(s) from 0 to 10");
        }
        sample = new TicketSample(tickets, bookingCount);
        for (int rank = 0; rank < weights.length; rank++) {
            weights[rank] = Math.pow(rank + 1, -skew);
        }
        draws.start(seed, STREAM);
    }

    /** Returns the next query. */
    public SqlStatement next() {
        Ticket ticket = sample.any(draws);
        int wanted = draws.between(CONDITIONS_MIN, CONDITIONS_MAX);
        Set<Column> columns = EnumSet.noneOf(Column.class);
        while (columns.size() < wanted) {
            columns.add(drawOther(columns));
        }
        return predicates.query(predicates.fetched(draws.below(Predicates.FETCHED_VARIANTS)), columns,
                predicates.someRanges(columns), ticket);
    }

    /** Returns one of the attributes that are not in {@code taken}, by their weights. */
    private Column drawOther(Set<Column> taken) {
        double total = 0;
        for (int rank = 0; rank < weights.length; rank++) {
            total += taken.contains(Column.at(rank)) ? 0 : weights[rank];
        }
        double at = draws.unit() * total;
        Column last = null;
        for (int rank = 0; rank < weights.length && at >= 0; rank++) {
            if (!taken.contains(Column.at(rank))) {
                last = Column.at(rank);
                at -= weights[rank];
            }
        }
        return last;
    }
}
