package org.daedalus.workload;

import java.time.LocalDate;
import java.time.LocalDateTime;

/**
 * Sells tickets on a schedule: an endless, deterministic stream, booking after booking; within one, passenger after
 * passenger, each with all flights. Every booking is a function of seed and number alone, so that a source of changes
 * can look at it again without any of them being kept.
 *
 * <p>Not thread-safe; several generators with the same arguments give the same tickets.
 */
public final class TicketGenerator {
    private final Schedule schedule;
    private final TicketParameters parameters;
    private final Itineraries itineraries;
    private final Purchases purchases;
    private final Passengers passengers;
    private final TicketStates states;
    private final References references;
    private final Booking booking = new Booking();
    private final Passenger passenger = new Passenger();
    private final Ticket ticket = new Ticket();
    private long nextBooking;
    private int place;

    /**
     * Ready to sell the first ticket.
     *
     * @throws IllegalArgumentException when the parameters' now is not within the schedule
     */
    public TicketGenerator(Schedule schedule, long seed, TicketParameters parameters) {
        long today = parameters.now().toLocalDate().toEpochDay();
        if (today < schedule.firstDate() || today > schedule.lastDate()) {
            throw new IllegalArgumentException("now is " + parameters.now() + ", but the schedule is from "
                    + LocalDate.ofEpochDay(schedule.firstDate()) + " to "
                    + LocalDate.ofEpochDay(schedule.lastDate()) + ": choose a day of it");
        }
        this.schedule = schedule;
        this.parameters = parameters;
        itineraries = new Itineraries(schedule, new Demand(schedule, parameters), seed);
        purchases = new Purchases(schedule, seed);
        passengers = new Passengers(schedule, seed);
        states = new TicketStates(schedule, seed);
        references = new References(seed);
    }

    /** Returns the next ticket; the object is refilled by the next call. */
    public Ticket next() {
        if (nextBooking > 0 && place + 1 < booking.flightCount) {
            place++;
        } else if (nextBooking > 0 && passenger.number < booking.passengerCount) {
            passengers.fill(booking, passenger.number + 1, passenger);
            place = 0;
        } else {
            fillSold(nextBooking++, booking, passenger);
            place = 0;
        }
        states.fill(booking, passenger, place, ticket);
        return ticket;
    }

    /** Writes the next {@code count} tickets. */
    public void write(long count, RowWriter rows) {
        for (long i = 0; i < count; i++) {
            next().writeTo(rows);
        }
    }

    /** Returns how many bookings the tickets given so far belong to. */
    public long bookingCount() {
        return nextBooking;
    }

    /** Returns how many bookings the first {@code ticketCount} tickets belong to, the last one perhaps in part. */
    public long bookingsOf(long ticketCount) {
        Booking counted = new Booking();
        long bookings = 0;
        for (long tickets = 0; tickets < ticketCount; bookings++) {
            itineraries.fillSold(bookings, counted);
            tickets += (long) counted.passengerCount * counted.flightCount;
        }
        return bookings;
    }

    public Schedule schedule() {
        return schedule;
    }

    public LocalDateTime now() {
        return parameters.now();
    }

    /** Only passengers, flights and times of a booking that has been sold: cheap, for looking for one. */
    void fillItinerary(long number, Booking target) {
        itineraries.fillSold(number, target);
    }

    /** Fills in the flights of a booking that was sold later, at {@code moment}. */
    void fillNewItinerary(long number, long moment, Booking target) {
        itineraries.fillNew(number, moment, target);
    }

    /** Fills in all of a booking that has been sold, and its first passenger. */
    void fillSold(long number, Booking target, Passenger first) {
        itineraries.fillSold(number, target);
        complete(target, first);
    }

    /** Fills in all of a booking that is being sold at {@code moment}, and its first passenger. */
    void fillNew(long number, long moment, Booking target, Passenger first) {
        itineraries.fillNew(number, moment, target);
        complete(target, first);
    }

    private void complete(Booking target, Passenger first) {
        target.rloc = references.of(target.number);
        passengers.fill(target, 1, first);
        purchases.fill(target, first.lastName, first.firstName);
    }

    /** Fills in one ticket of a booking that has been filled. */
    void fillTicket(Booking of, int passengerNumber, int placeOfFlight, Passenger who, Ticket target) {
        passengers.fill(of, passengerNumber, who);
        states.fill(of, who, placeOfFlight, target);
    }
}
