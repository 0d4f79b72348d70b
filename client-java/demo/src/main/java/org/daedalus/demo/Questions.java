package org.daedalus.demo;

import java.time.LocalDate;
import java.util.List;

/** The desk's questions, on the morning of a storm and after it has begun to close the airports. */
final class Questions {
    /** A flight by carrier and number. */
    record Flight(String carrier, int number) {}

    private final LocalDate today;
    private final LocalDate tomorrow;

    Questions(LocalDate today) {
        this.today = today;
        this.tomorrow = today.plusDays(1);
    }

    Question whatIsThere() {
        return new Question("What is there", """
                SELECT count(*) AS tickets, min(date_in), max(date_in), max(booked_at) FROM tickets""");
    }

    /** The first row's carrier and number are what {@link #passengerList} is asked about. */
    Question fullestFlights() {
        return new Question("The fullest flights of tomorrow", """
                SELECT provider, product_id, origin, destination, count(*) AS passengers FROM tickets \
                WHERE date_in = '%s' AND cancel_flag = false GROUP BY provider, product_id, origin, destination \
                ORDER BY 5 DESC, provider, product_id, origin, destination LIMIT 5""".formatted(tomorrow));
    }

    List<Question> beforeTheStorm(Flight flight) {
        return List.of(specialNeeds(), passengerList(flight), revenue(), bags(), meals());
    }

    /** Returns the questions whose answers change while the storm goes on. */
    List<Question> duringTheStorm(Flight flight) {
        return List.of(freedSeats(), stranded(), statuses(), specialNeeds(), passengerList(flight),
                new Question("What is there now", """
                        SELECT count(*) AS tickets, min(date_in), max(date_in), max(changed_at) FROM tickets"""));
    }

    private Question specialNeeds() {
        return new Question("Passengers with special needs in first class from JFK tomorrow", """
                SELECT last_name, first_name, special_service, provider, product_id, departure, seat, rloc, \
                passenger_number FROM tickets WHERE origin = 'JFK' AND cabin = 'F' AND date_in = '%s' \
                AND special_service IS NOT NULL AND cancel_flag = false \
                ORDER BY departure, provider, product_id, rloc, passenger_number LIMIT 10""".formatted(tomorrow));
    }

    private Question passengerList(Flight flight) {
        return new Question("Passenger list of " + flight.carrier() + " " + flight.number() + " tomorrow", """
                SELECT last_name, first_name, cabin, seat, meal, special_service, status, rloc, passenger_number \
                FROM tickets WHERE provider = '%s' AND product_id = %d AND date_in = '%s' \
                ORDER BY last_name, first_name, rloc, passenger_number LIMIT 12"""
                .formatted(flight.carrier(), flight.number(), tomorrow));
    }

    private Question revenue() {
        return new Question("Revenue by market", """
                SELECT origin, destination, count(*) AS tickets, sum(fare) AS revenue, avg(fare) AS average \
                FROM tickets WHERE cancel_flag = false AND currency = 'USD' GROUP BY origin, destination \
                ORDER BY 4 DESC, origin, destination LIMIT 10""");
    }

    private Question bags() {
        return new Question("Bags on their way today", """
                SELECT provider, origin, sum(bag_count) AS bags, count(checked_in_at) AS checked_in, \
                count(*) AS booked FROM tickets WHERE date_in = '%s' AND cancel_flag = false \
                GROUP BY provider, origin ORDER BY 3 DESC, provider, origin LIMIT 8""".formatted(today));
    }

    private Question meals() {
        return new Question("Meals to load at JFK tomorrow", """
                SELECT meal, count(*) AS trays FROM tickets WHERE origin = 'JFK' AND date_in = '%s' \
                AND meal IS NOT NULL AND cancel_flag = false GROUP BY meal ORDER BY meal""".formatted(tomorrow));
    }

    private Question freedSeats() {
        return new Question("How many seats the storm freed, on every route", """
                SELECT origin, destination, count(*) AS seats FROM tickets \
                WHERE date_in BETWEEN '%s' AND '%s' AND (cancel_flag = true OR status = 'UN') \
                GROUP BY origin, destination ORDER BY 3 DESC, origin, destination LIMIT 10"""
                .formatted(today, tomorrow));
    }

    private Question stranded() {
        return new Question("Platinum passengers whose flight does not operate", """
                SELECT last_name, first_name, provider, product_id, date_in, origin, destination, rloc, \
                passenger_number, segment_number FROM tickets WHERE tier = 'P' AND status = 'UN' \
                AND date_in >= '%s' ORDER BY date_in, rloc, segment_number, passenger_number LIMIT 8"""
                .formatted(today));
    }

    private Question statuses() {
        return new Question("How every status stands, today and tomorrow", """
                SELECT status, count(*) AS tickets FROM tickets WHERE date_in BETWEEN '%s' AND '%s' \
                GROUP BY status ORDER BY status""".formatted(today, tomorrow));
    }
}
