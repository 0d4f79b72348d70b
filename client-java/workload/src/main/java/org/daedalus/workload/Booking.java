package org.daedalus.workload;

/** One booking, refilled for each: what its tickets have in common. Arrays are indexed by the place of the flight. */
final class Booking {
    static final int PASSENGERS_MAX = 9;
    static final int FLIGHTS_MAX = 4;

    long number;
    String rloc = "";
    int passengerCount;
    int flightCount;
    final int[] flights = new int[FLIGHTS_MAX];
    /** The moment from which its tickets are seen, in seconds of local time. */
    long seenAt;
    long bookedAt;
    /** 0 while it is not paid. */
    long ticketedAt;
    char cabin;
    final char[] bookingClass = new char[FLIGHTS_MAX];
    final String[] fareBasis = new String[FLIGHTS_MAX];
    final long[] fareCents = new long[FLIGHTS_MAX];
    final long[] taxCents = new long[FLIGHTS_MAX];
    final boolean[] cancelled = new boolean[FLIGHTS_MAX];
    String currency = "";
    String fareCalculation = "";
    String endorsement;
    String office = "";
    String email;
    String phone;
}
