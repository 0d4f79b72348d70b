package org.daedalus.workload;

/**
 * Decides who travels when: passengers, flights and time of a booking, from its number alone, so that any booking can
 * be made again without keeping it.
 */
final class Itineraries {
    private static final int[] PASSENGERS_PER_MILLE = {580, 220, 80, 60, 25, 15, 8, 7, 5};
    private static final int[] FLIGHTS_PER_CENT = {62, 24, 9, 5};
    private static final long STREAM = 0x17;

    private final Demand demand;
    private final Schedule schedule;
    private final long seed;
    private final Draws draws = new Draws();

    Itineraries(Schedule schedule, Demand demand, long seed) {
        this.schedule = schedule;
        this.demand = demand;
        this.seed = Draws.mix(seed) + STREAM;
    }

    /** Fills in a booking that has been made before now. */
    void fillSold(long number, Booking booking) {
        draws.start(seed, number);
        int first = demand.soldFlight(draws);
        booking.seenAt = demand.now();
        booking.bookedAt = demand.bookedAt(first, draws);
        fill(number, first, booking);
    }

    /** Fills in a booking that is made at {@code moment}. */
    void fillNew(long number, long moment, Booking booking) {
        draws.start(seed, number);
        booking.seenAt = moment;
        booking.bookedAt = moment;
        fill(number, demand.flightBookedAt(moment, draws), booking);
    }

    private void fill(long number, int first, Booking booking) {
        booking.number = number;
        booking.passengerCount = 1 + draws.weighted(PASSENGERS_PER_MILLE);
        int wanted = 1 + draws.weighted(FLIGHTS_PER_CENT);
        int count = 0;
        int flight = first;
        while (flight >= 0) {
            booking.flights[count++] = flight;
            flight = count < wanted ? demand.nextFlight(flight, draws) : -1;
        }
        booking.flightCount = count;
    }

    Schedule schedule() {
        return schedule;
    }
}
