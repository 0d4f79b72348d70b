package org.daedalus.workload;

import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Decides which departure a passenger books, and when. A flight sells as many tickets as its aircraft has seats, along
 * a booking curve that is the sum of two exponentials; what has been sold until now for a date ahead is the
 * tail of that curve, so the density of dates moves with now. Immutable.
 */
final class Demand {
    static final long DAY = 86_400;
    private static final long LEAD_MIN = 2 * 3_600;
    /** Sale opens so many days before departure. */
    private static final int LEAD_DAYS_MAX = 330;
    private static final int SAME_DESTINATION_TRIES = 6;
    private static final int GAP_DAYS_MAX = 14;

    private final Schedule schedule;
    private final TicketParameters parameters;
    private final long now;
    private final int today;
    /** Seats of all departures before an index. */
    private final double[] seatsBefore;
    /** Tickets sold, in an arbitrary unit, for all days before a day of the schedule. */
    private final double[] soldBefore;

    Demand(Schedule schedule, TicketParameters parameters) {
        this.schedule = schedule;
        this.parameters = parameters;
        now = second(parameters.now());
        today = (int) Math.floorDiv(now, DAY);
        seatsBefore = new double[schedule.size() + 1];
        for (int flight = 0; flight < schedule.size(); flight++) {
            seatsBefore[flight + 1] = seatsBefore[flight] + seats(schedule.carrier(flight), schedule.distance(flight));
        }
        int days = schedule.lastDate() - schedule.firstDate() + 1;
        soldBefore = new double[days + 1];
        for (int day = 0; day < days; day++) {
            int date = schedule.firstDate() + day;
            double seats = seatsBefore[schedule.firstOn(date + 1)] - seatsBefore[schedule.firstOn(date)];
            soldBefore[day + 1] = soldBefore[day] + seats * soldShare(date - today);
        }
    }

    static long second(LocalDateTime time) {
        return time.toEpochSecond(ZoneOffset.UTC);
    }

    /** Returns a guess at the aircraft: regional carriers fly small ones, and long distances need large ones. */
    private static int seats(String carrier, int distance) {
        boolean regional = switch (carrier) {
            case "EV", "MQ", "9E", "YV", "OO" -> true;
            default -> false;
        };
        if (regional) {
            return distance < 600 ? 50 : 70;
        }
        return distance < 1_000 ? 130 : distance < 2_000 ? 160 : 190;
    }

    /**
     * Returns how much of a date's tickets is in the table, {@code days} ahead of now; negative for dates that have
     * passed.
     */
    private double soldShare(int days) {
        if (days < 0) {
            return Math.exp(days / parameters.keptDays());
        }
        if (days >= LEAD_DAYS_MAX) {
            return 0;
        }
        return (1 - parameters.farShare()) * Math.exp(-days / parameters.nearDays())
                + parameters.farShare() * Math.exp(-days / parameters.farDays());
    }

    /** Returns a departure whose ticket is in the table now. */
    int soldFlight(Draws draws) {
        int day = find(soldBefore, 0, soldBefore.length - 1, draws.unit());
        return flightOn(schedule.firstDate() + day, draws);
    }

    /** Draws when somebody booked a ticket of {@code flight}, at the latest now. */
    long bookedAt(int flight, Draws draws) {
        long departure = schedule.departure(flight);
        if (departure <= now) {
            return departure - Math.max(LEAD_MIN, lead(0, draws));
        }
        // An exponential curve has no memory: given that it was before now, how long before is the same again.
        double daysAhead = (departure - now) / (double) DAY;
        return now - lead(daysAhead, draws);
    }

    /** Seconds before the moment that is {@code daysAhead} of departure, folded into the time of sale. */
    private long lead(double daysAhead, Draws draws) {
        double days = draws.exponential(chooseMean(daysAhead, draws)) % Math.max(1, LEAD_DAYS_MAX - daysAhead);
        return (long) (days * DAY);
    }

    private double chooseMean(double daysAhead, Draws draws) {
        double near = (1 - parameters.farShare()) * Math.exp(-daysAhead / parameters.nearDays());
        double far = parameters.farShare() * Math.exp(-daysAhead / parameters.farDays());
        return draws.unit() * (near + far) < near ? parameters.nearDays() : parameters.farDays();
    }

    /**
     * Returns a departure that somebody books at {@code moment}, at least two hours ahead while the schedule has one.
     */
    int flightBookedAt(long moment, Draws draws) {
        long earliest = moment + LEAD_MIN;
        int date = (int) Math.floorDiv(earliest + lead(0, draws), DAY);
        int first = (int) Math.floorDiv(earliest, DAY);
        int last = schedule.lastDate();
        if (date > last) {
            date = first >= last ? last : first + draws.below(last - first + 1);
        }
        int flight = flightOn(date, draws);
        return schedule.departure(flight) < earliest && date < last ? flightOn(date + 1, draws) : flight;
    }

    /** Returns the next flight of a journey, of the same carrier and often on the same route; -1 when there is none. */
    int nextFlight(int flight, Draws draws) {
        int date = schedule.date(flight) + 1 + draws.below(GAP_DAYS_MAX);
        int start = schedule.firstOfCarrier(date, schedule.carrier(flight));
        int end = schedule.endOfCarrier(date, schedule.carrier(flight));
        if (date > schedule.lastDate() || start == end) {
            return -1;
        }
        int next = find(seatsBefore, start, end, draws.unit());
        for (int i = 0; i < SAME_DESTINATION_TRIES; i++) {
            if (schedule.destination(next).equals(schedule.destination(flight))) {
                break;
            }
            next = find(seatsBefore, start, end, draws.unit());
        }
        return next;
    }

    private int flightOn(int date, Draws draws) {
        int wanted = date;
        while (schedule.firstOn(wanted) == schedule.firstOn(wanted + 1) && wanted > schedule.firstDate()) {
            wanted--;
        }
        return find(seatsBefore, schedule.firstOn(wanted), schedule.firstOn(wanted + 1), draws.unit());
    }

    /** Returns the i of [start, end) below which the share {@code unit} of what lies between both ends is reached. */
    private static int find(double[] before, int start, int end, double unit) {
        double wanted = before[start] + unit * (before[end] - before[start]);
        int low = start;
        int high = end - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (before[middle] <= wanted) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    long now() {
        return now;
    }
}
