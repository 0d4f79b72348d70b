package org.daedalus.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets the schema compiler check and compile a file with one CREATE TABLE. */
final class SchemaCompiler {
    private static final Pattern SUMMARY =
            Pattern.compile("^(.+): \\d+ columns, fingerprint ([0-9a-f]+) ", Pattern.MULTILINE);

    /**
     * A table that may be compiled.
     *
     * @param notes what whoever declares it should know; empty: nothing
     */
    record Checked(Path file, String table, String fingerprint, String notes) {}

    private final Programs programs;

    SchemaCompiler(Programs programs) {
        this.programs = programs;
    }

    /** Checks a file and writes nothing; what is wrong with it goes to standard error. */
    Checked check(Path file) throws CliException, IOException {
        if (!Files.isReadable(file)) {
            throw CliException.usage("cannot read " + file);
        }
        Said said = run(file, "--check");
        Matcher summary = SUMMARY.matcher(said.out);
        if (!summary.find()) {
            throw CliException.failed("the schema compiler did not say what it checked: " + said.out.strip());
        }
        return new Checked(file, summary.group(1), summary.group(2), said.err);
    }

    /** Compiles into a folder, unless that has been done; returns the library. */
    Path compile(Checked schema, Path output) throws CliException, IOException {
        DurableFile.makeFolders(output);
        Said said = run(schema.file(), "--output", output.toString());
        Path library = output.resolve(schema.table() + ".so");
        if (!Files.isReadable(library)) {
            throw CliException.failed("the schema compiler gave no library: " + said.out.strip());
        }
        DurableFile.force(library);
        DurableFile.force(output);
        return library;
    }

    private record Said(String out, String err) {}

    private Said run(Path file, String... options) throws CliException, IOException {
        Path err = Files.createTempFile("daedalus-schema", ".err");
        try {
            Process compiler = programs.schemaCompiler(file.toAbsolutePath(), List.of(options))
                    .redirectError(err.toFile())
                    .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
            String out = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exitCode = compiler.waitFor();
            String said = Files.readString(err);
            if (exitCode != 0) {
                System.err.print(said);
                throw new CliException(exitCode == CliException.USAGE ? CliException.USAGE : CliException.FAILED,
                        "the schema was not compiled: " + file);
            }
            return new Said(out, said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.failed("interrupted");
        } finally {
            Files.delete(err);
        }
    }
}
