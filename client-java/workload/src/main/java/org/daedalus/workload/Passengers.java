package org.daedalus.workload;

/** Decides who somebody is: the same person on every flight of the booking. */
final class Passengers {
    private static final long STREAM = 0x3b;
    private static final int YEAR = 365;

    private final Schedule schedule;
    private final long seed;
    private final Draws draws = new Draws();
    private final StringBuilder text = new StringBuilder();

    Passengers(Schedule schedule, long seed) {
        this.schedule = schedule;
        this.seed = Draws.mix(seed) + STREAM;
    }

    /** @param number place in the booking, from 1 */
    void fill(Booking booking, int number, Passenger passenger) {
        draws.start(seed, booking.number << 4);
        boolean oneFamily = draws.chance(0.5);
        String family = Words.skewed(Words.FAMILIES, draws);
        draws.start(seed, (booking.number << 4) + number);
        passenger.number = number;
        passenger.lastName = oneFamily ? family : Words.skewed(Words.FAMILIES, draws);
        boolean woman = draws.chance(0.5);
        passenger.firstName = Words.skewed(woman ? Words.WOMEN : Words.MEN, draws);
        passenger.gender = draws.chance(0.01) ? 'X' : woman ? 'F' : 'M';
        int today = (int) Math.floorDiv(booking.seenAt, Demand.DAY);
        int ageDays = 2 * YEAR + (draws.below(80 * YEAR) + draws.below(80 * YEAR)) / 2;
        passenger.birthDate = draws.chance(0.85) ? today - ageDays : Passenger.NO_DATE;
        passenger.infant = draws.chance(0.012);
        passenger.specialService = draws.chance(0.04) ? Words.skewed(Words.SERVICES, draws) : null;
        fillMembership(booking, passenger);
        fillDocument(today, passenger);
    }

    private void fillMembership(Booking booking, Passenger passenger) {
        passenger.frequentFlyer = null;
        if (draws.chance(0.38)) {
            text.setLength(0);
            text.append(schedule.carrier(booking.flights[0]));
            Words.appendDigits(text, draws.next() >>> 1, 9);
            passenger.frequentFlyer = text.toString();
            passenger.tier = "BSGP".charAt(draws.weighted(70, 18, 9, 3));
        }
    }

    private void fillDocument(int today, Passenger passenger) {
        passenger.documentNumber = null;
        passenger.documentCountry = null;
        passenger.documentExpiry = Passenger.NO_DATE;
        if (draws.chance(0.7)) {
            text.setLength(0);
            text.append((char) ('A' + draws.below(26)));
            Words.appendDigits(text, draws.next() >>> 1, 8);
            passenger.documentNumber = text.toString();
            passenger.documentCountry =
                    draws.chance(0.8) ? Words.COUNTRIES[0] : Words.skewed(Words.COUNTRIES, draws);
            passenger.documentExpiry = today + 30 + draws.below(10 * YEAR - 30);
        }
    }
}
