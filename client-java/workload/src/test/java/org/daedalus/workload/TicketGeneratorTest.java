package org.daedalus.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(value = "org.daedalus.workload.Flights#areThere", disabledReason = Flights.MISSING)
class TicketGeneratorTest {
    private static final int COUNT = 100_000;
    private static final LocalDate TODAY = LocalDate.of(2013, 2, 8);
    private static final LocalDateTime NOW = TODAY.atTime(7, 0);

    private static List<List<Object>> rows;

    @BeforeAll
    static void sell() {
        TicketGenerator tickets = TestWorld.generator();
        rows = new ArrayList<>(COUNT);
        for (int i = 0; i < COUNT; i++) {
            rows.add(tickets.next().values());
        }
    }

    private static Object value(List<Object> row, Column column) {
        return row.get(column.ordinal());
    }

    private static double share(Predicate<List<Object>> condition) {
        return rows.stream().filter(condition).count() / (double) COUNT;
    }

    private static double nullShare(Column column) {
        return share(row -> value(row, column) == null);
    }

    private static byte[] csv(long seed) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CsvRows csv = new CsvRows(bytes)) {
            new TicketGenerator(TestWorld.SCHEDULE, seed, TicketParameters.defaults()).write(5_000, csv);
        }
        return bytes.toByteArray();
    }

    @Test
    void sameSeedGivesTheSameBytes() throws IOException {
        assertThat(csv(TestWorld.SEED)).isEqualTo(csv(TestWorld.SEED)).isNotEqualTo(csv(TestWorld.SEED + 1));
    }

    @Test
    void theSchemaHas47ColumnsInTheOrderOfTheEnumeration() throws IOException {
        assertThat(Ddl.columns()).extracting(Ddl.Type::name).hasSize(47)
                .containsExactly(List.of(Column.values()).stream().map(Column::sqlName).toArray(String[]::new));
    }

    @Test
    void everyRowFitsTheSchema() throws IOException {
        List<Ddl.Type> types = Ddl.columns();
        for (List<Object> row : rows) {
            assertThat(row).hasSameSizeAs(types);
            for (int column = 0; column < types.size(); column++) {
                Ddl.Type type = types.get(column);
                if (!type.fits(row.get(column))) {
                    throw new AssertionError(row.get(column) + " does not fit " + type);
                }
            }
        }
    }

    @Test
    void aPackedRowHasAbout350Bytes() throws IOException {
        List<Ddl.Type> types = Ddl.columns();
        assertThat(rows.stream().mapToInt(row -> Ddl.packedRowSize(types, row)).average().orElseThrow())
                .isBetween(330.0, 370.0);
    }

    @Test
    void theKeyIsUnique() {
        Set<List<Object>> keys = new HashSet<>();
        for (List<Object> row : rows) {
            keys.add(List.of(value(row, Column.RLOC), value(row, Column.SEGMENT_NUMBER),
                    value(row, Column.PASSENGER_NUMBER)));
        }
        assertThat(keys).hasSize(COUNT);
    }

    @Test
    void bookingsHaveOneToNinePassengersOnOneToFourFlights() {
        Map<Object, Long> passengers = new HashMap<>();
        Map<Object, Long> flights = new HashMap<>();
        for (List<Object> row : rows) {
            passengers.merge(value(row, Column.RLOC), (Long) value(row, Column.PASSENGER_NUMBER), Math::max);
            flights.merge(value(row, Column.RLOC), (Long) value(row, Column.SEGMENT_NUMBER), Math::max);
        }
        double[] passengerShares = {0.58, 0.22, 0.08, 0.06, 0.025, 0.015, 0.008, 0.007, 0.005};
        for (int count = 1; count <= passengerShares.length; count++) {
            assertThat(shareOf(passengers, count)).isCloseTo(passengerShares[count - 1], within(0.02)).isPositive();
        }
        double[] flightShares = {0.62, 0.24, 0.09, 0.05};
        for (int count = 1; count <= flightShares.length; count++) {
            assertThat(shareOf(flights, count)).isCloseTo(flightShares[count - 1], within(0.02));
        }
        assertThat(passengers.values()).allMatch(count -> count <= 9);
        assertThat(flights.values()).allMatch(count -> count <= 4);
    }

    private static double shareOf(Map<Object, Long> counts, long wanted) {
        return counts.values().stream().filter(count -> count == wanted).count() / (double) counts.size();
    }

    @Test
    void carriersAreAsUnevenAsTheSchedule() {
        assertThat(share(row -> value(row, Column.PROVIDER).equals("UA"))).isBetween(0.19, 0.26);
        assertThat(share(row -> value(row, Column.PROVIDER).equals("B6"))).isBetween(0.17, 0.23);
        assertThat(share(row -> value(row, Column.PROVIDER).equals("HA"))).isBetween(0.0005, 0.004);
    }

    @Test
    void datesAreDensestAroundNow() {
        double now = shareOfWeek(TODAY);
        assertThat(now).isGreaterThan(1.5 * shareOfWeek(TODAY.minusDays(35)))
                .isGreaterThan(1.5 * shareOfWeek(TODAY.plusDays(35)))
                .isGreaterThan(6 * shareOfWeek(TODAY.plusDays(180)));
    }

    /** A week, because bookings for many make single days uneven, and weekends differ. */
    private static double shareOfWeek(LocalDate middle) {
        return share(row -> Math.abs(ChronoUnit.DAYS.between(middle, (LocalDate) value(row, Column.DATE_IN))) <= 3);
    }

    @Test
    void theDensityMovesWithNow() {
        LocalDateTime later = LocalDateTime.of(2013, 7, 10, 12, 0);
        TicketGenerator tickets = new TicketGenerator(TestWorld.SCHEDULE, TestWorld.SEED, TicketParameters.at(later));
        int near = 0;
        for (int i = 0; i < 20_000; i++) {
            LocalDate date = (LocalDate) tickets.next().value(Column.DATE_IN);
            near += Math.abs(date.toEpochDay() - later.toLocalDate().toEpochDay()) <= 30 ? 1 : 0;
        }
        assertThat(near).isGreaterThan(8_000);
    }

    @Test
    void nullsAreAsDocumented() {
        assertThat(nullShare(Column.MEAL)).isBetween(0.92, 0.97);
        assertThat(nullShare(Column.SPECIAL_SERVICE)).isCloseTo(0.96, within(0.01));
        assertThat(nullShare(Column.FREQUENT_FLYER)).isCloseTo(0.62, within(0.02));
        assertThat(nullShare(Column.BIRTH_DATE)).isCloseTo(0.15, within(0.02));
        assertThat(nullShare(Column.DOCUMENT_NUMBER)).isCloseTo(0.30, within(0.02));
        assertThat(nullShare(Column.TICKET_NUMBER)).isCloseTo(0.02, within(0.01));
        assertThat(nullShare(Column.ENDORSEMENT)).isCloseTo(0.08, within(0.02));
        assertThat(nullShare(Column.CHANGED_AT)).isCloseTo(0.70, within(0.03));
        assertThat(nullShare(Column.EMAIL)).isCloseTo(0.12, within(0.02));
        assertThat(nullShare(Column.PHONE)).isCloseTo(0.20, within(0.02));
        assertThat(share(row -> (value(row, Column.BAG_COUNT) == null) == (value(row, Column.CHECKED_IN_AT) == null)))
                .isEqualTo(1);
    }

    @Test
    void theShareOfCancelledTicketsIsAsDocumented() {
        assertThat(share(row -> value(row, Column.CANCEL_FLAG).equals(true))).isBetween(0.05, 0.075);
    }

    @Test
    void nothingHasHappenedAfterNowOrBeforeTheBooking() {
        for (List<Object> row : rows) {
            LocalDateTime booked = (LocalDateTime) value(row, Column.BOOKED_AT);
            LocalDateTime departure = (LocalDateTime) value(row, Column.DEPARTURE);
            assertThat(booked).isBeforeOrEqualTo(NOW).isBefore(departure);
            for (Column column : List.of(Column.TICKETED_AT, Column.CHANGED_AT, Column.CHECKED_IN_AT)) {
                LocalDateTime at = (LocalDateTime) value(row, column);
                assertThat(at == null || !at.isAfter(NOW) && !at.isBefore(booked)).as(column.sqlName()).isTrue();
            }
            assertThat(value(row, Column.DELAY_MINUTES) == null || departure.minusHours(2).isBefore(NOW)).isTrue();
        }
    }

    @Test
    void countsTheBookingsOfAnyNumberOfTickets() {
        TicketGenerator tickets = TestWorld.generator();
        for (int count = 1; count <= 300; count++) {
            tickets.next();
            assertThat(tickets.bookingsOf(count)).isEqualTo(tickets.bookingCount());
        }
    }

    @Test
    void refusesATimeOutsideTheSchedule() {
        assertThatThrownBy(() -> new TicketGenerator(TestWorld.SCHEDULE, 1, TicketParameters.at(NOW.plusYears(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("now is 2014-02-08T07:00, but the schedule is from 2013-01-01 to 2013-12-31: choose"
                        + " a day of it");
    }
}
