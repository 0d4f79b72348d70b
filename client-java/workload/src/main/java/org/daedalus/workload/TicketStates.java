package org.daedalus.workload;

/**
 * Decides how far a ticket has come at the moment from which it is seen: still open, cancelled, checked in, flown, or
 * stranded because its flight does not operate. What really happened to the flight comes from the schedule.
 */
final class TicketStates {
    private static final long STREAM = 0x4d;
    private static final double PASSENGER_CANCELS = 0.0155;
    private static final double STRANDED_GIVE_UP = 0.4;
    private static final double NO_SHOW = 0.03;
    private static final int LONG_FLIGHT_MILES = 1_000;
    private static final int CHECK_IN_OPENS = 86_400;
    private static final int CHECK_IN_CLOSES = 45 * 60;
    private static final long SERIALS = 10_000_000_000L;
    private static final String SEAT_LETTERS = "ABCDEF";
    private static final int ROWS = 38;
    private static final String[] SEATS = seats();

    private final Schedule schedule;
    private final long seed;
    private final Draws draws = new Draws();

    TicketStates(Schedule schedule, long seed) {
        this.schedule = schedule;
        this.seed = Draws.mix(seed) + STREAM;
    }

    private static String[] seats() {
        String[] seats = new String[ROWS * SEAT_LETTERS.length()];
        for (int seat = 0; seat < seats.length; seat++) {
            seats[seat] = (1 + seat / SEAT_LETTERS.length()) + "" + SEAT_LETTERS.charAt(seat % SEAT_LETTERS.length());
        }
        return seats;
    }

    /** @param place of the flight in the booking, from 0 */
    void fill(Booking booking, Passenger passenger, int place, Ticket ticket) {
        int flight = booking.flights[place];
        draws.start(seed, booking.number << 6 | passenger.number << 2 | place);
        ticket.schedule = schedule;
        ticket.booking = booking;
        ticket.passenger = passenger;
        ticket.place = place;
        ticket.flight = flight;
        ticket.ticketNumber = serial(booking, passenger.number, place);
        boolean isLong = schedule.distance(flight) >= LONG_FLIGHT_MILES;
        ticket.meal = isLong && draws.chance(0.09) ? Words.skewed(Words.MEALS, draws) : null;
        fillState(booking, ticket);
        boolean goes = !ticket.cancelFlag && !ticket.status.equals("UN");
        fillCheckIn(booking, goes, ticket);
        boolean seated = ticket.checkedInAt != 0 || draws.chance(0.667);
        ticket.seat = seated ? seat(booking.cabin, draws) : null;
        fillChange(booking, ticket);
    }

    /** Returns a seat of the cabin. */
    static String seat(char cabin, Draws draws) {
        int row = switch (cabin) {
            case 'Y' -> draws.between(11, ROWS);
            case 'W' -> draws.between(7, 10);
            default -> draws.between(1, 6);
        };
        return SEATS[(row - 1) * SEAT_LETTERS.length() + draws.below(SEAT_LETTERS.length())];
    }

    private long serial(Booking booking, int passenger, int place) {
        String carrier = schedule.carrier(booking.flights[0]);
        long airline = 100 + (carrier.charAt(0) * 31 + carrier.charAt(1)) % 900;
        return airline * SERIALS + (booking.number * 36 + (passenger - 1) * 4L + place) % SERIALS;
    }

    private void fillState(Booking booking, Ticket ticket) {
        boolean overdue = schedule.departure(ticket.flight) <= booking.seenAt;
        boolean stranded = overdue && schedule.isCancelled(ticket.flight);
        boolean gone = overdue && !stranded && hasLeft(booking, ticket.flight);
        boolean quits = draws.chance(PASSENGER_CANCELS);
        ticket.cancelFlag = stranded ? draws.chance(STRANDED_GIVE_UP) : booking.cancelled[ticket.place] || quits;
        ticket.delayMinutes = gone ? schedule.delayMinutes(ticket.flight) : Ticket.NO_DELAY;
        ticket.standby = !ticket.cancelFlag && !stranded && draws.chance(0.01);
        if (stranded) {
            ticket.status = "UN";
            ticket.couponStatus = ticket.cancelFlag ? 'R' : 'E';
        } else if (ticket.cancelFlag) {
            ticket.status = "XX";
            ticket.couponStatus = 'R';
        } else {
            ticket.status = ticket.standby ? "HL" : draws.chance(0.02) ? "TK" : "HK";
            ticket.couponStatus = 'O';
        }
    }

    private boolean hasLeft(Booking booking, int flight) {
        return schedule.departure(flight) + schedule.delayMinutes(flight) * 60L <= booking.seenAt;
    }

    private void fillCheckIn(Booking booking, boolean goes, Ticket ticket) {
        ticket.checkedInAt = 0;
        boolean shows = !draws.chance(NO_SHOW);
        int before = draws.between(CHECK_IN_CLOSES, CHECK_IN_OPENS);
        long at = schedule.departure(ticket.flight) - before;
        int bags = draws.weighted(55, 33, 9, 3);
        int order = 1 + draws.below(180);
        if (goes && shows && at <= booking.seenAt && at > booking.bookedAt) {
            ticket.checkedInAt = at;
            ticket.bagCount = bags;
            ticket.boardingNumber = order;
            ticket.couponStatus = hasLeft(booking, ticket.flight) ? 'F' : 'C';
        }
    }

    private void fillChange(Booking booking, Ticket ticket) {
        boolean changed = ticket.cancelFlag || ticket.couponStatus == 'E' || ticket.status.equals("TK")
                || draws.chance(0.23);
        ticket.changedAt = 0;
        if (changed) {
            long end = Math.min(booking.seenAt, schedule.departure(ticket.flight));
            ticket.changedAt = booking.bookedAt + (long) (draws.unit() * Math.max(0, end - booking.bookedAt));
        }
    }
}
