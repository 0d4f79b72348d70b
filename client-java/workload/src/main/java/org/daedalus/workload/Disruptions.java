package org.daedalus.workload;

import java.util.BitSet;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;

/**
 * Finds departures that really were cancelled or long delayed, soonest date first, and says what the airline does about
 * their tickets. Each departure is disrupted once.
 */
final class Disruptions {
    /** Each disrupted departure has so many. */
    static final int STATEMENTS = 3;

    private static final int LONG_DELAY_MINUTES = 180;
    private static final int DAYS_AHEAD_MAX = 7;
    private static final int REBOOKING_DAYS_MAX = 3;
    private static final long CONNECTION_MIN = 3_600;

    private final Schedule schedule;
    private final BitSet disrupted = new BitSet();
    private final BitSet pending = new BitSet();
    private int pendingDate;

    Disruptions(Schedule schedule, int firstDate) {
        this.schedule = schedule;
        pendingDate = firstDate - 1;
    }

    static boolean isDisrupted(Schedule schedule, int flight) {
        return schedule.isCancelled(flight) || schedule.delayMinutes(flight) >= LONG_DELAY_MINUTES;
    }

    /**
     * Says whether the flight's tickets have been moved, so that the generator's own account of them no longer holds.
     */
    boolean wasDisrupted(int flight) {
        return disrupted.get(flight);
    }

    /**
     * Gives the statements about the next disrupted departure.
     *
     * @param preferred gives a departure for which the condition holds, or -1 when it knows none; then any is taken
     * @return the departure, or -1 when none is near
     */
    int next(long now, Draws draws, ToIntFunction<IntPredicate> preferred, Consumer<SqlStatement> statements) {
        int today = (int) Math.floorDiv(now, Demand.DAY);
        while (true) {
            while (pending.isEmpty() || pendingDate < today) {
                if (pendingDate >= today + DAYS_AHEAD_MAX) {
                    return -1;
                }
                pendingDate = Math.max(pendingDate + 1, today);
                fillPending(now);
            }
            int known = preferred.applyAsInt(pending::get);
            int flight = known >= 0 ? known : anyPending(draws);
            pending.clear(flight);
            int other = schedule.departure(flight) < now ? -1 : alternative(flight);
            if (other >= 0) {
                disrupted.set(flight);
                if (schedule.isCancelled(flight)) {
                    cancel(flight, other, now, statements);
                } else {
                    delay(flight, other, now, statements);
                }
                return flight;
            }
        }
    }

    private void fillPending(long now) {
        pending.clear();
        for (int flight = schedule.firstOn(pendingDate); flight < schedule.firstOn(pendingDate + 1); flight++) {
            pending.set(flight, isDisrupted(schedule, flight) && schedule.departure(flight) >= now);
        }
    }

    private int anyPending(Draws draws) {
        int start = schedule.firstOn(pendingDate);
        int flight = pending.nextSetBit(start + draws.below(schedule.firstOn(pendingDate + 1) - start));
        return flight >= 0 ? flight : pending.nextSetBit(start);
    }

    /**
     * Returns the first later departure to the same place that operates, of the same carrier if it has one; else -1.
     */
    private int alternative(int flight) {
        int foreign = -1;
        for (int date = schedule.date(flight); date <= schedule.date(flight) + REBOOKING_DAYS_MAX; date++) {
            int own = -1;
            for (int other = schedule.firstOn(date); other < schedule.firstOn(date + 1); other++) {
                if (!fits(flight, other)) {
                    continue;
                }
                if (schedule.carrier(other).equals(schedule.carrier(flight))) {
                    own = sooner(own, other);
                } else {
                    foreign = sooner(foreign, other);
                }
            }
            if (own >= 0) {
                return own;
            }
        }
        return foreign;
    }

    private boolean fits(int flight, int other) {
        return schedule.destination(other).equals(schedule.destination(flight)) && !isDisrupted(schedule, other)
                && schedule.departure(other) >= schedule.departure(flight) + CONNECTION_MIN;
    }

    private int sooner(int known, int other) {
        return known < 0 || schedule.departure(other) < schedule.departure(known) ? other : known;
    }

    /** Everybody is told; who is going moves, economy first, so that the last row can still be refunded. */
    private void cancel(int flight, int other, long now, Consumer<SqlStatement> statements) {
        SqlStatement.Builder notice = update(now).add(", status = ").value("UN").add(", coupon_status = ").value("E");
        statements.accept(ofFlight(notice, flight).add(" AND cancel_flag = ").value(false).build());
        statements.accept(ofFlight(move(other, now), flight).add(" AND cancel_flag = ").value(false)
                .add(" AND cabin = ").value("Y").build());
        statements.accept(ofFlight(move(other, now), flight).add(" AND cancel_flag = ").value(false)
                .add(" AND cabin IN (").value("W").add(", ").value("C").add(", ").value("F").add(")").build());
    }

    /** Everybody is told; who would miss the next flight moves; the others get the new times. */
    private void delay(int flight, int other, long now, Consumer<SqlStatement> statements) {
        int minutes = schedule.delayMinutes(flight);
        statements.accept(ofFlight(update(now).add(", delay_minutes = ").value(minutes), flight).build());
        statements.accept(ofFlight(move(other, now).add(", delay_minutes = ").value(null), flight)
                .add(" AND cancel_flag = ").value(false)
                .add(" AND sgt_qualifier IN (").value("O").add(", ").value("X").add(")").build());
        SqlStatement.Builder times = update(now)
                .add(", departure = ").timestamp(schedule.departure(flight) + minutes * 60L)
                .add(", arrival = ").timestamp(schedule.arrival(flight) + minutes * 60L);
        statements.accept(ofFlight(times, flight).build());
    }

    private static SqlStatement.Builder update(long now) {
        return new SqlStatement.Builder().add("UPDATE tickets SET changed_at = ").timestamp(now);
    }

    private SqlStatement.Builder move(int other, long now) {
        return update(now).add(", provider = ").value(schedule.carrier(other))
                .add(", product_id = ").value(schedule.flight(other)).add(", date_in = ").date(schedule.date(other))
                .add(", origin = ").value(schedule.origin(other))
                .add(", departure = ").timestamp(schedule.departure(other))
                .add(", arrival = ").timestamp(schedule.arrival(other))
                .add(", status = ").value("TK").add(", coupon_status = ").value("O").add(", seat = ").value(null)
                .add(", checked_in_at = ").value(null).add(", boarding_number = ").value(null)
                .add(", bag_count = ").value(null);
    }

    private SqlStatement.Builder ofFlight(SqlStatement.Builder statement, int flight) {
        return statement.add(" WHERE provider = ").value(schedule.carrier(flight))
                .add(" AND product_id = ").value(schedule.flight(flight))
                .add(" AND date_in = ").date(schedule.date(flight))
                .add(" AND departure = ").timestamp(schedule.departure(flight));
    }
}
