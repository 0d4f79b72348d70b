package org.daedalus.workload;

import java.util.EnumSet;
import java.util.Set;

/**
 * Asks the questions of a booking system, endless and deterministic: on average 8.5 attributes in conditions and 27
 * fetched. Flight number and departure date are in 99.5 % of the conditions, the carrier always; 0.22 % have no flight
 * number and name the booking or the passenger instead. A booking system is a program: all its queries are of a few
 * hundred statements, with other values each time. Not thread-safe, as the generator.
 */
public final class BookingQueries {
    private static final long STREAM = 0x83;
    private static final double NO_FLIGHT_NUMBER = 0.0022;
    private static final double NO_DATE = 0.0028;
    private static final double DATE_BY_RANGE = 0.3;
    /** One statement in so many has no condition on the qualifier, as many have none on the flag. */
    private static final int WITHOUT_EVERY = 20;
    /** Makes 8.5 of what the attributes above leave. */
    private static final double OTHERS_MEAN = 3.6;
    /** Many times over each number of attributes fetched, so that they are 27 on average. */
    private static final int SHAPES = 10 * Predicates.FETCHED_VARIANTS;
    private static final Column[] OTHERS = {
        Column.CABIN, Column.BOOKING_CLASS, Column.STATUS, Column.ORIGIN, Column.DESTINATION,
        Column.SEGMENT_NUMBER, Column.COUPON_STATUS, Column.STANDBY, Column.INFANT, Column.DEPARTURE,
        Column.ARRIVAL, Column.MEAL, Column.SPECIAL_SERVICE, Column.TIER, Column.CHECKED_IN_AT,
        Column.CURRENCY, Column.BOARDING_NUMBER, Column.BOOKED_AT
    };
    /** Conditions on a time are on the scheduled one by equality, on the others whether there is one, or by range. */
    private static final Set<Column> BY_RANGE = EnumSet.of(Column.CHECKED_IN_AT, Column.BOARDING_NUMBER,
            Column.BOOKED_AT);

    /** One statement of the program: the attributes it fetches, and its conditions beside flight and date. */
    private record Shape(String fetched, Set<Column> conditions) {}

    private final Draws draws = new Draws();
    private final TicketSample sample;
    private final Predicates predicates = new Predicates(draws);
    private final Shape[] shapes = new Shape[SHAPES];

    /** Asks for tickets of the first {@code bookingCount} bookings. */
    public BookingQueries(TicketGenerator tickets, long bookingCount, long seed) {
        sample = new TicketSample(tickets, bookingCount);
        draws.start(seed, STREAM);
        for (int shape = 0; shape < SHAPES; shape++) {
            shapes[shape] = new Shape(predicates.fetched(shape), drawConditions(shape));
        }
    }

    /** Returns the next query. */
    public SqlStatement next() {
        Ticket ticket = sample.any(draws);
        Set<Column> columns = EnumSet.of(Column.PROVIDER);
        Set<Column> ranges = EnumSet.copyOf(BY_RANGE);
        double kind = draws.unit();
        if (kind < NO_FLIGHT_NUMBER) {
            columns.add(draws.chance(0.7) ? Column.RLOC : Column.LAST_NAME);
        } else {
            columns.add(Column.PRODUCT_ID);
        }
        if (kind < NO_FLIGHT_NUMBER || kind >= NO_FLIGHT_NUMBER + NO_DATE) {
            columns.add(Column.DATE_IN);
        }
        if (draws.chance(DATE_BY_RANGE)) {
            ranges.add(Column.DATE_IN);
        }
        Shape shape = shapes[draws.below(SHAPES)];
        columns.addAll(shape.conditions());
        return predicates.query(shape.fetched(), columns, ranges, ticket);
    }

    /** Conditions of one statement: how many is a matter of its number, so that the averages hold for every seed. */
    private Set<Column> drawConditions(int shape) {
        Set<Column> columns = EnumSet.noneOf(Column.class);
        if (shape % WITHOUT_EVERY != 0) {
            columns.add(Column.SGT_QUALIFIER);
        }
        if (shape % WITHOUT_EVERY != WITHOUT_EVERY / 2) {
            columns.add(Column.CANCEL_FLAG);
        }
        int wanted = columns.size() + (int) ((shape + 1) * OTHERS_MEAN) - (int) (shape * OTHERS_MEAN);
        while (columns.size() < wanted) {
            columns.add(OTHERS[draws.below(OTHERS.length)]);
        }
        return columns;
    }
}
