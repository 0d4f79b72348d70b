package org.daedalus.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The packages beneath the API depend one way, and use of the API only what stands for a value or a failure. */
class InternalPackagesTest {
    private static final Path SOURCES = Path.of("src/main/java/org/daedalus/client/internal");
    private static final Pattern IMPORT = Pattern.compile("import org\\.daedalus\\.client\\.([\\w.]+);");
    /** Each uses only itself and those before it. */
    private static final List<String> ORDER = List.of("values", "statements", "answers", "protocol", "sending");
    private static final Set<String> USED_OF_THE_API = Set.of("ConnectionListener", "DaedalusException",
            "DaedalusException.Category", "ResultColumn", "TableDescription", "ValueException", "ValueText");

    private static boolean mayUse(String user, String imported) {
        if (!imported.startsWith("internal.")) {
            return USED_OF_THE_API.contains(imported);
        }
        String used = imported.split("\\.")[1];
        return used.equals("ClientAccess") || ORDER.contains(used) && ORDER.indexOf(used) <= ORDER.indexOf(user);
    }

    @Test
    void shouldDependOneWay() throws IOException {
        for (String user : ORDER) {
            try (Stream<Path> files = Files.list(SOURCES.resolve(user))) {
                for (Path file : files.toList()) {
                    Matcher imports = IMPORT.matcher(Files.readString(file));
                    while (imports.find()) {
                        assertThat(mayUse(user, imports.group(1))).as("%s imports %s", file, imports.group(1)).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void shouldHaveNoPackageWithoutAPlaceInTheOrder() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            assertThat(files.filter(Files::isDirectory).map(folder -> folder.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(ORDER);
        }
    }
}
