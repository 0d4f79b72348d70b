package org.daedalus.workload;

/** Looks up tickets at random that have been sold, each booking equally often. */
final class TicketSample {
    private final TicketGenerator tickets;
    private final long bookingCount;
    private final Booking booking = new Booking();
    private final Passenger passenger = new Passenger();
    private final Ticket ticket = new Ticket();

    TicketSample(TicketGenerator tickets, long bookingCount) {
        if (bookingCount < 1) {
            throw new IllegalArgumentException(bookingCount + " bookings: give at least one, there must be tickets");
        }
        this.tickets = tickets;
        this.bookingCount = bookingCount;
    }

    /** Valid until the next call. */
    Ticket any(Draws draws) {
        tickets.fillSold((long) (draws.unit() * bookingCount), booking, passenger);
        int who = 1 + draws.below(booking.passengerCount);
        tickets.fillTicket(booking, who, draws.below(booking.flightCount), passenger, ticket);
        return ticket;
    }
}
