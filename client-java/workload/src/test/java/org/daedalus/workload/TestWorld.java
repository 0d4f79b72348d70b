package org.daedalus.workload;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.ZipFile;

/** The tests share the real schedule, read once, and a seed that is printed and can be given. */
final class TestWorld {
    static final long SEED = seed();
    static final Path REPOSITORY = Flights.repository();
    static final Path FLIGHTS = unpackFlights();
    static final Schedule SCHEDULE = schedule();

    private TestWorld() {}

    static TicketGenerator generator() {
        return new TicketGenerator(SCHEDULE, SEED, TicketParameters.defaults());
    }

    private static long seed() {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null ? System.nanoTime() : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        return seed;
    }

    /** Takes the table from the Python package that the demonstration uses, too. */
    private static Path unpackFlights() {
        try {
            return unpack(Flights.archive().orElseThrow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path unpack(Path archive) throws IOException {
        Path flights = Files.createTempFile("flights", ".csv");
        flights.toFile().deleteOnExit();
        try (ZipFile zip = new ZipFile(archive.toFile());
                InputStream csv = zip.getInputStream(zip.getEntry("flights.csv"))) {
            Files.copy(csv, flights, StandardCopyOption.REPLACE_EXISTING);
        }
        return flights;
    }

    private static Schedule schedule() {
        try {
            return Schedule.read(FLIGHTS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
