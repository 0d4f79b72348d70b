package org.daedalus.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the other programs are: in DAEDALUS_BIN when set, else where the build of this tree puts them. */
final class Programs {
    private final Path home;
    private final List<Path> directories = new ArrayList<>();

    Programs() {
        home = Path.of(System.getProperty("daedalus.home", ".")).toAbsolutePath().normalize();
        String given = System.getenv("DAEDALUS_BIN");
        if (given != null && !given.isEmpty()) {
            directories.add(Path.of(given).toAbsolutePath());
        }
        directories.add(home.resolve("build/release/bin"));
        directories.add(home.resolve("bin"));
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

    /** The command that runs the schema compiler. Only its owner may read what it writes. */
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
