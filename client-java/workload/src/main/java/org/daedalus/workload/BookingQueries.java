package org.daedalus.workload;

import java.util.EnumSet;
import java.util.Set;

/**
 * What a booking system asks, endless and deterministic: on average 8.5 attributes in conditions and 27 fetched.
 * Flight number and departure date are in 99.5 % of the conditions, the carrier always; 0.22 % have no
 * flight number and name the booking or the passenger instead. Not thread-safe, as the generator.
 */
public final class BookingQueries {
    private static final long STREAM = 0x83;
    private static final double NO_FLIGHT_NUMBER = 0.0022;
    private static final double NO_DATE = 0.0028;
    private static final double DATE_BY_RANGE = 0.3;
    private static final double QUALIFIER_OR_FLAG = 0.95;
    /** Makes 8.5 of what the attributes above leave. */
    private static final int OTHERS_MAX = 7;
    private static final double OTHERS_SHARE = 0.515;
    private static final Column[] OTHERS = {
        Column.CABIN, Column.BOOKING_CLASS, Column.STATUS, Column.ORIGIN, Column.DESTINATION,
        Column.SEGMENT_NUMBER, Column.COUPON_STATUS, Column.STANDBY, Column.INFANT, Column.DEPARTURE,
        Column.ARRIVAL, Column.MEAL, Column.SPECIAL_SERVICE, Column.TIER, Column.CHECKED_IN_AT,
        Column.CURRENCY, Column.BOARDING_NUMBER, Column.BOOKED_AT
    };
    /** Conditions on a time are on the scheduled one by equality, on the others whether there is one, or by range. */
    private static final Set<Column> BY_RANGE = EnumSet.of(Column.CHECKED_IN_AT, Column.BOARDING_NUMBER,
            Column.BOOKED_AT);

    private final Draws draws = new Draws();
    private final TicketSample sample;
    private final Predicates predicates = new Predicates(draws);

    /** Asks for tickets of the first {@code bookingCount} bookings. */
    public BookingQueries(TicketGenerator tickets, long bookingCount, long seed) {
        sample = new TicketSample(tickets, bookingCount);
        draws.start(seed, STREAM);
    }

    /** The next query. */
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
        if (draws.chance(QUALIFIER_OR_FLAG)) {
            columns.add(Column.SGT_QUALIFIER);
        }
        if (draws.chance(QUALIFIER_OR_FLAG)) {
            columns.add(Column.CANCEL_FLAG);
        }
        addOthers(columns);
        return predicates.query(columns, ranges, ticket);
    }

    private void addOthers(Set<Column> columns) {
        int wanted = columns.size();
        for (int i = 0; i < OTHERS_MAX; i++) {
            wanted += draws.chance(OTHERS_SHARE) ? 1 : 0;
        }
        while (columns.size() < wanted) {
            columns.add(OTHERS[draws.below(OTHERS.length)]);
        }
    }
}
