package org.daedalus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which of several builds of a program is started. */
class ProgramsTest {
    private static final String NAME = "daedalus-aggregator";

    @TempDir
    private Path home;

    @Test
    void shouldStartTheBuildForUsersBeforeTheBuildForTests() throws IOException, CliException {
        Path tested = build("build/release/bin");
        assertThat(new Programs(home, null).find(NAME)).isEqualTo(tested);
        Path shipped = build("build/ship/bin");
        assertThat(new Programs(home, null).find(NAME)).isEqualTo(shipped);
    }

    @Test
    void shouldStartWhatTheEnvironmentNamesBeforeEveryBuildOfTheTree() throws IOException, CliException {
        build("build/ship/bin");
        Path tested = build("build/release/bin");
        assertThat(new Programs(home, tested.getParent().toString()).find(NAME)).isEqualTo(tested);
    }

    @Test
    void shouldSayWhereItLookedForAProgramThatIsNotBuilt() {
        assertThatThrownBy(() -> new Programs(home, "").find(NAME)).isInstanceOf(CliException.class)
                .hasMessageContaining(home.resolve("build/ship/bin") + ", " + home.resolve("build/release/bin"))
                .hasMessageContaining("DAEDALUS_BIN");
    }

    private Path build(String folder) throws IOException {
        Path made = Files.createDirectories(home.resolve(folder)).resolve(NAME);
        var mine = PosixFilePermissions.fromString("rwx------");
        return Files.createFile(made, PosixFilePermissions.asFileAttribute(mine));
    }
}
