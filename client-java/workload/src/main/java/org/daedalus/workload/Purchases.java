package org.daedalus.workload;

/** Decides what a booking costs and how it was sold. Needs its itinerary, draws everything else. */
final class Purchases {
    private static final long STREAM = 0x29;
    private static final int FARE_CALCULATION_MAX = 128;
    private static final char[] CABINS = {'Y', 'W', 'C', 'F'};
    private static final int[] CABINS_PER_CENT = {86, 7, 5, 2};
    private static final String[] CLASSES = {"YBMHQKVLSTGE", "WPR", "CJD", "FAZ"};
    private static final double[] CABIN_FACTORS = {1, 1.6, 3.2, 5};
    private static final double PARTY_CANCELS = 0.045;
    private static final long SEGMENT_TAX_CENTS = 1_420;

    private final Schedule schedule;
    private final long seed;
    private final Draws draws = new Draws();
    private final StringBuilder text = new StringBuilder();

    Purchases(Schedule schedule, long seed) {
        this.schedule = schedule;
        this.seed = Draws.mix(seed) + STREAM;
    }

    /** @param familyName of the one who books, who is the first passenger */
    void fill(Booking booking, String familyName, String firstName) {
        draws.start(seed, booking.number);
        boolean paid = draws.chance(0.98);
        long paidAt = Math.min(booking.seenAt, booking.bookedAt + draws.below((int) Demand.DAY));
        booking.ticketedAt = paid ? paidAt : 0;
        int cabin = draws.weighted(CABINS_PER_CENT);
        booking.cabin = CABINS[cabin];
        boolean flexible = draws.chance(0.08);
        for (int place = 0; place < booking.flightCount; place++) {
            booking.cancelled[place] = draws.chance(PARTY_CANCELS);
            fillFare(booking, place, cabin, flexible);
        }
        booking.currency = Words.CURRENCIES[draws.weighted(Words.CURRENCIES_PER_CENT)];
        booking.fareCalculation = fareCalculation(booking);
        String carrier = schedule.carrier(booking.flights[0]);
        booking.endorsement = flexible ? null : Words.skewed(Words.ENDORSEMENTS, draws) + carrier + " ONLY";
        booking.office = office(carrier);
        booking.email = draws.chance(0.88) ? email(familyName, firstName) : null;
        booking.phone = draws.chance(0.80) ? Words.phone(draws) : null;
    }

    private void fillFare(Booking booking, int place, int cabin, boolean flexible) {
        int flight = booking.flights[place];
        String classes = CLASSES[cabin];
        int level = draws.skewed(classes.length());
        booking.bookingClass[place] = classes.charAt(level);
        double cheaper = 1 - 0.6 * level / classes.length();
        double miles = 45 + 0.13 * schedule.distance(flight);
        double noise = 0.8 + 0.5 * draws.unit();
        booking.fareCents[place] = (long) (miles * CABIN_FACTORS[cabin] * cheaper * (flexible ? 1.7 : 1) * noise * 100);
        booking.taxCents[place] = booking.fareCents[place] * 75 / 1_000 + SEGMENT_TAX_CENTS;
        long daysAhead = (schedule.departure(flight) - booking.bookedAt) / Demand.DAY;
        text.setLength(0);
        text.append(booking.bookingClass[place]).append(cabin == 0 ? 'L' : 'H');
        Words.appendDigits(text, daysAhead >= 21 ? 21 : daysAhead >= 14 ? 14 : daysAhead >= 7 ? 7 : 0, 2);
        text.append(schedule.date(flight) % 7 < 5 ? 'X' : 'W').append(flexible ? 'R' : 'N');
        if (draws.chance(0.6)) {
            text.append(draws.chance(0.5) ? "OW" : "RT");
        }
        booking.fareBasis[place] = text.toString();
    }

    private String fareCalculation(Booking booking) {
        text.setLength(0);
        long total = 0;
        for (int place = 0; place < booking.flightCount; place++) {
            int flight = booking.flights[place];
            text.append(schedule.origin(flight)).append(' ').append(schedule.carrier(flight)).append(' ');
            text.append(schedule.destination(flight)).append(' ');
            appendMoney(booking.fareCents[place]);
            total += booking.fareCents[place];
        }
        text.append(booking.currency);
        appendMoney(total);
        text.append("END");
        appendIfRoom(" ROE1.000000");
        appendIfRoom(" ZP4.10");
        appendIfRoom(" AY5.60");
        for (int place = 0; place < booking.flightCount; place++) {
            appendIfRoom(" XF" + schedule.origin(booking.flights[place]) + "4.5");
        }
        return text.toString();
    }

    private void appendIfRoom(String more) {
        if (text.length() + more.length() <= FARE_CALCULATION_MAX) {
            text.append(more);
        }
    }

    private void appendMoney(long cents) {
        text.append(cents / 100).append('.');
        Words.appendDigits(text, cents, 2);
        text.append(' ');
    }

    private String office(String carrier) {
        text.setLength(0);
        if (draws.chance(0.6)) {
            return text.append("NYC").append(carrier).append("0100").toString();
        }
        text.append(Words.skewed(Words.CITIES, draws)).append(carrier);
        Words.appendDigits(text, 1_000 + draws.skewed(9_000), 4);
        return text.toString();
    }

    private String email(String familyName, String firstName) {
        text.setLength(0);
        appendLower(firstName);
        text.append('.');
        appendLower(familyName);
        text.append(draws.below(100)).append('@').append(Words.skewed(Words.DOMAINS, draws));
        return text.toString();
    }

    private void appendLower(String capitals) {
        for (int i = 0; i < capitals.length(); i++) {
            text.append((char) (capitals.charAt(i) + ('a' - 'A')));
        }
    }
}
