package org.daedalus.workload;

/** A change to tickets is of one of these kinds. */
public enum ChangeKind {
    /** UPDATE of one passenger's seat. */
    SEAT(Verb.UPDATE),
    /** UPDATE of the meal of one passenger, or of all who travel together. */
    MEAL(Verb.UPDATE),
    /** UPDATE of address or telephone number. */
    CONTACT(Verb.UPDATE),
    /** UPDATE that adds to, or takes from, fare and tax. */
    FARE_CHANGE(Verb.UPDATE),
    /** UPDATE of one passenger who checks in: status, seat, bags. */
    CHECK_IN(Verb.UPDATE),
    /** UPDATE of all passengers of a booking who do not take a flight. */
    CANCELLATION(Verb.UPDATE),
    /** UPDATE of many tickets of a flight that is cancelled or long delayed: three in a row for each such flight. */
    REACCOMMODATION(Verb.UPDATE),
    /** INSERT of all tickets of a new booking. */
    NEW_BOOKING(Verb.INSERT),
    /** DELETE of a booking. */
    DROPPED_BOOKING(Verb.DELETE),
    /** DELETE of the oldest date, all of it. */
    PURGE(Verb.DELETE);

    /** The statement that it is. */
    public enum Verb {
        /** Changes rows. */
        UPDATE,
        /** Adds rows. */
        INSERT,
        /** Takes rows away. */
        DELETE
    }

    private final Verb verb;

    ChangeKind(Verb verb) {
        this.verb = verb;
    }

    public Verb verb() {
        return verb;
    }
}
