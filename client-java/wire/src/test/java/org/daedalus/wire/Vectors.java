package org.daedalus.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The files that hold C++ and Java to the same bytes. */
final class Vectors {
    private Vectors() {}

    static List<String> lines(String name) {
        try {
            return Files.readAllLines(Path.of("../../rpc/vectors", name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonNode read(String name) {
        try {
            return new ObjectMapper().readTree(Path.of("../../rpc/vectors", name).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
