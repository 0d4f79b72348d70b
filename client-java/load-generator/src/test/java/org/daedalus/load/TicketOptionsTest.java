package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class TicketOptionsTest {
    @Command
    private static final class Asker {
        @Mixin
        private TicketOptions loaded;
    }

    private final Asker asker = new Asker();

    private void parse(String... arguments) {
        new CommandLine(asker).parseArgs(arguments);
    }

    @Test
    void shouldSayHowManyTicketsWereLoaded() {
        parse("--tickets", "7", "--tickets-seed", "2013");
        assertThat(asker.loaded.tickets()).isEqualTo(7);
    }

    @Test
    void shouldLookForTheScheduleInTheTreeOfTheProgramWhereverThatIsStarted(@TempDir Path home) throws Exception {
        String before = System.getProperty("daedalus.home", ".");
        System.setProperty("daedalus.home", home.toString());
        try {
            parse("--tickets", "7", "--tickets-seed", "2013");
            Path flights = Files.createDirectories(home.resolve("build/demo")).resolve("flights.csv");
            assertThatThrownBy(asker.loaded::schedule).isInstanceOf(ParameterException.class)
                    .hasMessageContaining("cannot read the schedule " + flights);
            Files.writeString(flights, "no header\n");
            assertThatThrownBy(asker.loaded::schedule).isInstanceOf(IOException.class)
                    .hasMessageContaining(flights.toString());
        } finally {
            System.setProperty("daedalus.home", before);
        }
    }

    @Test
    void shouldRefuseTicketsThatAreNone() {
        assertThatThrownBy(() -> parse("--tickets", "0", "--tickets-seed", "1")).isInstanceOf(ParameterException.class)
                .hasMessageContaining("--tickets must be above 0");
        assertThatThrownBy(() -> parse("--tickets", "7")).hasMessageContaining("--tickets-seed");
    }
}
