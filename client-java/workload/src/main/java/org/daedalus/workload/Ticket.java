package org.daedalus.workload;

import java.util.List;

/**
 * One ticket: a passenger on a flight. Generators refill the same object for each row, so take what you need before
 * asking for the next one.
 */
public final class Ticket {
    /** No value in a number that may be negative. */
    static final int NO_DELAY = Integer.MIN_VALUE;

    Schedule schedule;
    Booking booking;
    Passenger passenger;
    /** Place of the flight in the booking, from 0. */
    int place;
    int flight;
    boolean cancelFlag;
    int delayMinutes;
    String status;
    String seat;
    String meal;
    long ticketNumber;
    char couponStatus;
    int bagCount;
    boolean standby;
    long changedAt;
    long checkedInAt;
    int boardingNumber;

    Ticket() {}

    /** Index of the departure in the schedule. */
    public int flight() {
        return flight;
    }

    public String rloc() {
        return booking.rloc;
    }

    /** Writes one row, in the order of {@link Column}. */
    public void writeTo(RowWriter row) {
        writeFlight(row);
        writePurchase(row);
        writePerson(row);
        writeAccount(row);
        writeHistory(row);
        row.endOfRow();
    }

    /** A value as Java knows it: String, Boolean, Long, BigDecimal, LocalDate, LocalDateTime, or null. */
    public Object value(Column column) {
        return values().get(column.ordinal());
    }

    /** Returns all values, in the order of {@link Column}. */
    public List<Object> values() {
        ValueRow row = new ValueRow();
        writeTo(row);
        return row.values();
    }

    private void writeFlight(RowWriter row) {
        row.text(booking.rloc);
        row.text(schedule.carrier(flight));
        row.number(schedule.flight(flight));
        row.date(schedule.date(flight));
        row.character(qualifier());
        row.flag(cancelFlag);
        row.number(place + 1);
        row.number(passenger.number);
        row.text(schedule.origin(flight));
        row.text(schedule.destination(flight));
        row.timestamp(schedule.departure(flight));
        row.timestamp(schedule.arrival(flight));
        if (delayMinutes == NO_DELAY) {
            row.nothing();
        } else {
            row.number(delayMinutes);
        }
    }

    private char qualifier() {
        if (booking.flightCount == 1) {
            return 'S';
        }
        return place == 0 ? 'O' : place == booking.flightCount - 1 ? 'R' : 'X';
    }

    private void writePurchase(RowWriter row) {
        row.character(booking.cabin);
        row.character(booking.bookingClass[place]);
        row.text(booking.fareBasis[place]);
        row.text(status);
        optional(row, seat);
        optional(row, meal);
        optional(row, passenger.specialService);
    }

    private void writePerson(RowWriter row) {
        optional(row, passenger.frequentFlyer);
        if (passenger.frequentFlyer == null) {
            row.nothing();
        } else {
            row.character(passenger.tier);
        }
        row.flag(passenger.infant);
        row.text(passenger.lastName);
        row.text(passenger.firstName);
        row.character(passenger.gender);
        optionalDate(row, passenger.birthDate);
        optional(row, passenger.documentNumber);
        optional(row, passenger.documentCountry);
        optionalDate(row, passenger.documentExpiry);
    }

    private void writeAccount(RowWriter row) {
        if (booking.ticketedAt == 0) {
            row.nothing();
        } else {
            row.number(ticketNumber);
        }
        row.character(couponStatus);
        row.money(booking.fareCents[place]);
        row.money(booking.taxCents[place]);
        row.text(booking.currency);
        row.text(booking.fareCalculation);
        optional(row, booking.endorsement);
    }

    private void writeHistory(RowWriter row) {
        boolean checkedIn = checkedInAt != 0;
        if (checkedIn) {
            row.number(bagCount);
        } else {
            row.nothing();
        }
        row.flag(standby);
        row.timestamp(booking.bookedAt);
        optionalTimestamp(row, booking.ticketedAt);
        optionalTimestamp(row, changedAt);
        optionalTimestamp(row, checkedInAt);
        if (checkedIn) {
            row.number(boardingNumber);
        } else {
            row.nothing();
        }
        row.text(booking.office);
        optional(row, booking.email);
        optional(row, booking.phone);
    }

    private static void optional(RowWriter row, String value) {
        if (value == null) {
            row.nothing();
        } else {
            row.text(value);
        }
    }

    private static void optionalDate(RowWriter row, int day) {
        if (day == Passenger.NO_DATE) {
            row.nothing();
        } else {
            row.date(day);
        }
    }

    private static void optionalTimestamp(RowWriter row, long second) {
        if (second == 0) {
            row.nothing();
        } else {
            row.timestamp(second);
        }
    }
}
