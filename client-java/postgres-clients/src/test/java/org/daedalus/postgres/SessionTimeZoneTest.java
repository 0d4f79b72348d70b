package org.daedalus.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver starts its sessions in the zone of its machine: moments are what a PostgreSQL makes of them. */
@EnabledIfSystemProperty(named = Servers.DAEDALUS, matches = ".+")
@EnabledIfSystemProperty(named = Servers.POSTGRES, matches = ".+")
class SessionTimeZoneTest {
    private static final int FIRST = 900;
    private static final int RUNS = 7; // The driver's statements are prepared and binary from the fifth on.

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void restore() {
        TimeZone.setDefault(before);
    }

    private static void insert(Connection connection) throws SQLException {
        List<Object> values = List.of(Timestamp.from(Instant.parse("2013-10-27T00:30:00Z")),
                OffsetDateTime.of(2013, 10, 27, 1, 30, 0, 0, ZoneOffset.UTC), LocalDateTime.of(2013, 3, 31, 2, 30));
        try (PreparedStatement insert = connection
                .prepareStatement("INSERT INTO kinds (id, moment, at) VALUES (?, ?, ?::timestamp)")) {
            for (int number = 0; number < values.size(); ++number) {
                insert.setInt(1, FIRST + number);
                insert.setObject(2, values.get(number));
                insert.setObject(3, values.get(number));
                insert.executeUpdate();
            }
        }
    }

    /** Reads the rows as a session sees them. */
    private static List<String> seen(Connection connection) throws SQLException {
        List<String> seen = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            ResultSet zone = statement.executeQuery("SHOW TimeZone");
            zone.next();
            seen.add(zone.getString(1));
            statement.executeUpdate("DELETE FROM kinds WHERE id >= " + FIRST);
        }
        insert(connection);
        try (PreparedStatement select = connection.prepareStatement("SELECT id, moment, at, moment::text, moment::date,"
                + " extract(hour FROM moment) FROM kinds WHERE id >= ? AND moment >= '2013-03-31' ORDER BY id")) {
            for (int run = 0; run < RUNS; ++run) {
                select.setInt(1, FIRST);
                ResultSet rows = select.executeQuery();
                while (rows.next()) {
                    seen.add(rows.getInt(1) + " " + rows.getTimestamp(2).toInstant() + " " + rows.getTimestamp(3) + " "
                            + rows.getString(4) + " " + rows.getObject(2, OffsetDateTime.class).toInstant() + " "
                            + rows.getDate(5) + " " + rows.getInt(6));
                }
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM kinds WHERE id >= " + FIRST);
        }
        return seen;
    }

    @ValueSource(strings = {"Europe/Berlin", "America/St_Johns", "UTC", "GMT+05:30"})
    @ParameterizedTest
    void shouldSeeWhatAPostgresShows(String zone) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        try (Connection ours = Servers.connect(); Connection theirs = Servers.connectToPostgres()) {
            assertThat(seen(ours)).isEqualTo(seen(theirs)).hasSizeGreaterThan(3 * RUNS);
        }
    }
}
