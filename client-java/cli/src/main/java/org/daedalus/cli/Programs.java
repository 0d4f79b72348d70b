package org.daedalus.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the other programs: in DAEDALUS_BIN when it is set, else where this tree builds them for users, else where it
 * builds them for tests.
 */
final class Programs {
    private final Path home;
    private final List<Path> directories = new ArrayList<>();

    Programs() {
        this(Path.of(System.getProperty("daedalus.home", ".")), System.getenv("DAEDALUS_BIN"));
    }

    /** {@code given} is DAEDALUS_BIN, null where it is not set. */
    Programs(Path home, String given) {
        this.home = home.toAbsolutePath().normalize();
        if (given != null && !given.isEmpty()) {
            directories.add(Path.of(given).toAbsolutePath());
        }
        for (String built : List.of("build/ship/bin", "build/release/bin", "bin")) {
            directories.add(this.home.resolve(built));
        }
    }

    Path find(String program) throws CliException {
        for (Path directory : directories) {
            Path file = directory.resolve(program);
            if (Files.isExecutable(file)) {
                return file;
            }
        }
        throw CliException.failed(program + " is not in " + directories + ": build it, or set DAEDALUS_BIN");
    }

    /** Returns the command that runs the schema compiler. Only its owner may read what it writes. */
    ProcessBuilder schemaCompiler(Path schema, List<String> options) {
        Path python = home.resolve(".venv/bin/python");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "umask 077 && exec \"$@\"", "sh",
                Files.isExecutable(python) ? python.toString() : "python3", "-m", "daedalus_schema",
                schema.toString()));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command);
        String path = System.getenv("PYTHONPATH");
        String compiler = home.resolve("schema_compiler").toString();
        builder.environment().put("PYTHONPATH", path == null || path.isEmpty() ? compiler : compiler + ":" + path);
        return builder;
    }
}
