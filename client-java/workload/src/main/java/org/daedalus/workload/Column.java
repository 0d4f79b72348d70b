package org.daedalus.workload;

import java.util.Locale;

/** The attributes of schemas/tickets.sql, in its order; that file says what they mean. */
public enum Column {
    RLOC(Kind.TEXT),
    PROVIDER(Kind.CODE),
    PRODUCT_ID(Kind.NUMBER),
    DATE_IN(Kind.DATE),
    SGT_QUALIFIER(Kind.CODE),
    CANCEL_FLAG(Kind.FLAG),
    SEGMENT_NUMBER(Kind.NUMBER),
    PASSENGER_NUMBER(Kind.NUMBER),
    ORIGIN(Kind.CODE),
    DESTINATION(Kind.CODE),
    DEPARTURE(Kind.TIMESTAMP),
    ARRIVAL(Kind.TIMESTAMP),
    DELAY_MINUTES(Kind.NUMBER),
    CABIN(Kind.CODE),
    BOOKING_CLASS(Kind.CODE),
    FARE_BASIS(Kind.TEXT),
    STATUS(Kind.CODE),
    SEAT(Kind.TEXT),
    MEAL(Kind.CODE),
    SPECIAL_SERVICE(Kind.CODE),
    FREQUENT_FLYER(Kind.TEXT),
    TIER(Kind.CODE),
    INFANT(Kind.FLAG),
    LAST_NAME(Kind.TEXT),
    FIRST_NAME(Kind.TEXT),
    GENDER(Kind.CODE),
    BIRTH_DATE(Kind.DATE),
    DOCUMENT_NUMBER(Kind.TEXT),
    DOCUMENT_COUNTRY(Kind.CODE),
    DOCUMENT_EXPIRY(Kind.DATE),
    TICKET_NUMBER(Kind.NUMBER),
    COUPON_STATUS(Kind.CODE),
    FARE(Kind.NUMBER),
    TAX(Kind.NUMBER),
    CURRENCY(Kind.CODE),
    FARE_CALCULATION(Kind.TEXT),
    ENDORSEMENT(Kind.TEXT),
    BAG_COUNT(Kind.NUMBER),
    STANDBY(Kind.FLAG),
    BOOKED_AT(Kind.TIMESTAMP),
    TICKETED_AT(Kind.TIMESTAMP),
    CHANGED_AT(Kind.TIMESTAMP),
    CHECKED_IN_AT(Kind.TIMESTAMP),
    BOARDING_NUMBER(Kind.NUMBER),
    OFFICE(Kind.TEXT),
    EMAIL(Kind.TEXT),
    PHONE(Kind.TEXT);

    /** The kind of a column decides which questions about it make sense. */
    enum Kind {
        /** Yes or no. */
        FLAG,
        /** One of few texts. */
        CODE,
        /** One of many texts, of which a beginning says something, too. */
        TEXT,
        /** An amount, a count, an order. */
        NUMBER,
        /** A day. */
        DATE,
        /** A second. */
        TIMESTAMP
    }

    private static final Column[] ALL = values();

    private final Kind kind;
    private final String sqlName;

    Column(Kind kind) {
        this.kind = kind;
        this.sqlName = name().toLowerCase(Locale.ROOT);
    }

    Kind kind() {
        return kind;
    }

    /** Returns the name as SQL spells it. */
    public String sqlName() {
        return sqlName;
    }

    /** Returns how many there are: 47. */
    static int count() {
        return ALL.length;
    }

    static Column at(int index) {
        return ALL[index];
    }
}
