package org.daedalus.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** The servers of these tests, by system properties: an aggregator, and a PostgreSQL with the same table. */
final class Servers {
    /** Set by whoever started a cluster. */
    static final String DAEDALUS = "daedalus.jdbc";
    /** Set by whoever started a PostgreSQL. */
    static final String POSTGRES = "postgres.jdbc";

    private Servers() {
    }

    /** A connection to the aggregator. Options are those of pgjdbc, as name=value. */
    static Connection connect(String... options) throws SQLException {
        return open(System.getProperty(DAEDALUS), options);
    }

    /** A connection to the PostgreSQL. */
    static Connection connectToPostgres() throws SQLException {
        return open(System.getProperty(POSTGRES));
    }

    /** A connection to the aggregator, whose table has no rows. */
    static Connection connectToEmpty(String... options) throws SQLException {
        Connection connection = connect(options);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM kinds");
        }
        return connection;
    }

    private static Connection open(String url, String... options) throws SQLException {
        Properties properties = new Properties();
        for (String option : options) {
            int at = option.indexOf('=');
            properties.setProperty(option.substring(0, at), option.substring(at + 1));
        }
        return DriverManager.getConnection(url, properties);
    }
}
