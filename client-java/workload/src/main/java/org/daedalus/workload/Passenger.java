package org.daedalus.workload;

/** One passenger, refilled for each: what all tickets of the same person say. */
final class Passenger {
    /** NULL in the column. */
    static final int NO_DATE = Integer.MIN_VALUE;

    /** Place in the booking, from 1. */
    int number;
    String lastName = "";
    String firstName = "";
    char gender;
    int birthDate;
    String frequentFlyer;
    char tier;
    boolean infant;
    String documentNumber;
    String documentCountry;
    int documentExpiry;
    String specialService;
}
