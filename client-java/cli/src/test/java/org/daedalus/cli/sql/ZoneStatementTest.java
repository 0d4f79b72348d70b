package org.daedalus.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.daedalus.client.FakeAggregator;
import org.daedalus.wire.v1.StatementBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The session's time zone: what sets it, what shows it, and that it travels with statements. */
class ZoneStatementTest {
    @RegisterExtension
    private final Said said = new Said();

    private final LinkedBlockingQueue<String> zones = new LinkedBlockingQueue<>();

    private int run(String... statements) throws Exception {
        said.forget();
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> {
            try {
                zones.add(StatementBody.parseFrom(operation.getBody()).getTimeZone());
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
            self.answerRows(operation, new Object[] {"a", 1});
            self.answerEnd(operation, 1);
        })) {
            return Main.runCommand("sql", "-t", "--format", "unaligned", "--cluster", fake.endpoint(), "-c",
                    String.join("; ", statements));
        }
    }

    private String shownAfter(String statement) throws Exception {
        assertThat(run(statement, "SHOW TimeZone")).as(statement + ": " + said.err()).isZero();
        return said.out().strip();
    }

    @Test
    void shouldShowWhatWasSet() throws Exception {
        assertThat(shownAfter("SHOW TIME ZONE")).isEqualTo("UTC\nUTC");
        assertThat(shownAfter("SET TIME ZONE 'europe/zurich'")).isEqualTo("Europe/Zurich");
        assertThat(shownAfter("set session timezone to \"Asia/Tokyo\"")).isEqualTo("Asia/Tokyo");
        assertThat(shownAfter("/* as psql */ SET TimeZone = 'UTC'")).isEqualTo("UTC");
        assertThat(shownAfter("SET TIME ZONE -7")).isEqualTo("<-07>+07");
        assertThat(shownAfter("SET TIME ZONE '3'")).isEqualTo("<+03>-03");
        for (String reset : List.of("RESET TimeZone", "SET TIME ZONE DEFAULT", "SET TIME ZONE LOCAL")) {
            assertThat(shownAfter("SET TIME ZONE 3; " + reset)).isEqualTo("UTC");
        }
        assertThat(shownAfter("SHOW ALL")).startsWith("TimeZone|UTC|");
    }

    @Test
    void shouldSendTheZoneWithEveryStatementThatComesBehind() throws Exception {
        String set = "SET TIME ZONE 'Europe/Zurich'";
        assertThat(run("SELECT 1", set, "SELECT 2", "RESET TimeZone", "SELECT 3")).isZero();
        assertThat(zones).containsExactly("", "Europe/Zurich", "");
    }

    @Test
    void shouldRefuseZonesAndParametersThatThereAreNotAsPostgresDoes() throws Exception {
        assertThat(run("SET TIME ZONE 'Nowhere'")).isEqualTo(1);
        assertThat(said.err()).contains("ERROR 22023")
                .contains("invalid value for parameter \"TimeZone\": \"Nowhere\"");
        assertThat(run("SET TIME ZONE 200")).isEqualTo(1);
        assertThat(said.err()).contains("ERROR 22023");
        assertThat(run("SHOW nothing")).isEqualTo(1);
        assertThat(said.err()).contains("ERROR 42704").contains("unrecognized configuration parameter \"nothing\"");
        assertThat(zones).isEmpty();
    }
}
