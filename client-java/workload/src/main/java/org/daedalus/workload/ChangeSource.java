package org.daedalus.workload;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * An endless, deterministic sequence of changes of tickets that a {@link TicketGenerator} has sold. Its clock starts at
 * the generator's now and moves a little with each change. The booking reference never changes, so a table may be
 * partitioned by it. Not thread-safe, and the generator must not be used elsewhere meanwhile.
 */
public final class ChangeSource {
    private static final long STREAM = 0x71;
    private static final int SEARCH_MAX = 4_000;
    /** Finds a cancelled flight on the day of a blizzard nearly always; on other days any will have to do. */
    private static final int FLIGHT_SEARCH_MAX = 1_000;
    private static final int KEPT_DAYS_MIN = 14;
    private static final long CHECK_IN_CLOSES = 2_700;
    /** New bookings that can still be changed: people mostly change what they have just booked. */
    private static final int RECENT_MAX = 1_024;
    private static final double RECENT_SHARE = 0.1;

    private final TicketGenerator tickets;
    private final Schedule schedule;
    private final long soldCount;
    private final long paceNs;
    private final int[] starts;
    private final Draws draws = new Draws();
    private final Disruptions disruptions;
    private final Deque<Change> waiting = new ArrayDeque<>();
    private final long[] recentMoments = new long[RECENT_MAX];
    private final Booking booking = new Booking();
    private final Passenger passenger = new Passenger();
    private final Ticket ticket = new Ticket();
    private final long start;
    private long now;
    private long changeCount;
    private long newCount;
    private int oldestDate;
    private int place;

    /**
     * Changes of the first {@code bookingCount} bookings.
     *
     * @param bookingCount see {@link TicketGenerator#bookingCount} and {@link TicketGenerator#bookingsOf}
     * @param pace how far the schedule's clock moves with each change
     */
    public ChangeSource(
            TicketGenerator tickets, long bookingCount, long seed, ChangeProportions proportions, Duration pace) {
        if (bookingCount < 1 || pace.isNegative()) {
            throw new IllegalArgumentException(bookingCount + " bookings and a pace of " + pace
                    + ": give at least one booking, and a pace that is not negative");
        }
        this.tickets = tickets;
        schedule = tickets.schedule();
        soldCount = bookingCount;
        paceNs = pace.toNanos();
        starts = proportions.starts();
        start = Demand.second(tickets.now());
        now = start;
        oldestDate = schedule.firstDate();
        disruptions = new Disruptions(schedule, today());
        draws.start(seed, STREAM);
    }

    /** Returns the next change. */
    public Change next() {
        if (waiting.isEmpty()) {
            long latest = schedule.lastDate() * Demand.DAY;
            now = Math.min(latest, start + (long) (changeCount * (paceNs / 1e9)));
            begin(ChangeKind.values()[draws.weighted(starts)]);
        }
        changeCount++;
        return waiting.remove();
    }

    private int today() {
        return (int) Math.floorDiv(now, Demand.DAY);
    }

    /** Queues at least one change, of {@code kind} if the tickets give reason for it. */
    private void begin(ChangeKind kind) {
        switch (kind) {
            case REACCOMMODATION -> disrupt();
            case PURGE -> purge();
            case NEW_BOOKING -> sell();
            case DROPPED_BOOKING -> drop();
            default -> changeBooking(kind);
        }
    }

    private void queue(ChangeKind kind, int flight, SqlStatement statement) {
        waiting.add(new Change(kind, LocalDateTime.ofEpochSecond(now, 0, ZoneOffset.UTC), flight, statement));
    }

    private void disrupt() {
        Deque<SqlStatement> statements = new ArrayDeque<>();
        int flight = disruptions.next(now, draws, this::flightOfTicket, statements::add);
        if (flight < 0) {
            changeBooking(ChangeKind.SEAT);
            return;
        }
        statements.forEach(statement -> queue(ChangeKind.REACCOMMODATION, flight, statement));
    }

    /**
     * Returns a departure that tickets have been sold for, the more likely the more there are; -1 when the search is
     * long.
     */
    private int flightOfTicket(IntPredicate wanted) {
        for (int attempt = 0; attempt < FLIGHT_SEARCH_MAX; attempt++) {
            tickets.fillItinerary((long) (draws.unit() * soldCount), booking);
            for (int candidate = 0; candidate < booking.flightCount; candidate++) {
                if (wanted.test(booking.flights[candidate])) {
                    return booking.flights[candidate];
                }
            }
        }
        return -1;
    }

    private void purge() {
        if (oldestDate > today() - KEPT_DAYS_MIN) {
            drop();
            return;
        }
        SqlStatement.Builder statement = new SqlStatement.Builder().add("DELETE FROM tickets WHERE date_in BETWEEN ")
                .date(schedule.firstDate()).add(" AND ").date(oldestDate++);
        queue(ChangeKind.PURGE, -1, statement.build());
    }

    private void sell() {
        tickets.fillNew(soldCount + newCount, now, booking, passenger);
        recentMoments[(int) (newCount++ % RECENT_MAX)] = now;
        SqlStatement.Builder statement = new SqlStatement.Builder().add("INSERT INTO tickets VALUES ");
        for (int who = 1; who <= booking.passengerCount; who++) {
            for (int flight = 0; flight < booking.flightCount; flight++) {
                statement.add(who == 1 && flight == 0 ? "(" : ", (");
                tickets.fillTicket(booking, who, flight, passenger, ticket);
                List<Object> values = ticket.values();
                for (int column = 0; column < values.size(); column++) {
                    statement.add(column == 0 ? "" : ", ").value(values.get(column));
                }
                statement.add(")");
            }
        }
        queue(ChangeKind.NEW_BOOKING, -1, statement.build());
    }

    private void drop() {
        find(0, Long.MAX_VALUE);
        queue(ChangeKind.DROPPED_BOOKING, -1, new SqlStatement.Builder().add("DELETE FROM tickets WHERE rloc = ")
                .value(booking.rloc).add(" AND booked_at = ").timestamp(booking.bookedAt).build());
    }

    private void changeBooking(ChangeKind kind) {
        if (kind == ChangeKind.CHECK_IN) {
            find(CHECK_IN_CLOSES, Demand.DAY);
        } else {
            find(0, Long.MAX_VALUE);
        }
        int who = 1 + draws.below(booking.passengerCount);
        boolean together = switch (kind) {
            case SEAT, CHECK_IN -> false;
            case MEAL -> draws.chance(0.3);
            default -> true;
        };
        SqlStatement.Builder statement = new SqlStatement.Builder().add("UPDATE tickets SET changed_at = ")
                .timestamp(now);
        set(kind, statement);
        statement.add(" WHERE rloc = ").value(booking.rloc).add(" AND arrival = ")
                .timestamp(schedule.arrival(booking.flights[place]));
        if (!together) {
            statement.add(" AND passenger_number = ").value(who);
        }
        queue(kind, booking.flights[place], statement.build());
    }

    private void set(ChangeKind kind, SqlStatement.Builder statement) {
        switch (kind) {
            case SEAT -> statement.add(", seat = ").value(TicketStates.seat(booking.cabin, draws));
            case MEAL -> statement.add(", meal = ").value(Words.skewed(Words.MEALS, draws));
            case CONTACT -> statement.add(", phone = ").value(Words.phone(draws));
            case FARE_CHANGE -> {
                boolean refund = draws.chance(0.3);
                BigDecimal amount = quarterOf(booking.fareCents[place]);
                BigDecimal tax = quarterOf(booking.taxCents[place]);
                String sign = refund ? " - " : " + ";
                statement.add(", fare = fare").add(sign).value(amount).add(", tax = tax").add(sign).value(tax);
            }
            case CHECK_IN -> statement.add(", coupon_status = ").value("C").add(", seat = ")
                    .value(TicketStates.seat(booking.cabin, draws)).add(", bag_count = ").value(draws.below(3))
                    .add(", checked_in_at = ").timestamp(now).add(", boarding_number = ").value(draws.between(1, 180));
            case CANCELLATION -> statement.add(", cancel_flag = ").value(true).add(", status = ").value("XX")
                    .add(", coupon_status = ").value("R").add(", seat = ").value(null);
            default -> throw new IllegalStateException(kind + " is no change of one booking");
        }
    }

    /** Something below a quarter, so that what is left stays positive for a long time. */
    private BigDecimal quarterOf(long cents) {
        return BigDecimal.valueOf(1 + draws.below((int) (cents / 4)), 2);
    }

    /**
     * Looks for a booking with a flight that leaves between {@code earliest} and {@code latest} seconds from now and
     * has not been disrupted; when there is none, takes the last one looked at.
     */
    private void find(long earliest, long latest) {
        long number = 0;
        for (int attempt = 0; attempt < SEARCH_MAX; attempt++) {
            number = drawItinerary();
            place = placeOfFlight(earliest, latest);
            if (place >= 0) {
                break;
            }
        }
        place = Math.max(0, place);
        if (number < soldCount) {
            tickets.fillSold(number, booking, passenger);
        } else {
            tickets.fillNew(number, booking.bookedAt, booking, passenger);
        }
    }

    private long drawItinerary() {
        long recent = Math.min(newCount, RECENT_MAX);
        if (recent > 0 && draws.chance(RECENT_SHARE)) {
            long at = newCount - 1 - draws.below((int) recent);
            tickets.fillNewItinerary(soldCount + at, recentMoments[(int) (at % RECENT_MAX)], booking);
            return soldCount + at;
        }
        long number = (long) (draws.unit() * soldCount);
        tickets.fillItinerary(number, booking);
        return number;
    }

    private int placeOfFlight(long earliest, long latest) {
        for (int candidate = 0; candidate < booking.flightCount; candidate++) {
            int flight = booking.flights[candidate];
            long ahead = schedule.departure(flight) - now;
            if (ahead >= earliest && ahead <= latest && !disruptions.wasDisrupted(flight)) {
                return candidate;
            }
        }
        return -1;
    }
}
