package org.daedalus.postgres;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Prints an answer of whole numbers as psql does, a line for each row, read through pgjdbc by its fetch size. */
final class PiecewiseReader {
    private PiecewiseReader() {
    }

    /**
     * Reads one answer.
     *
     * @param arguments JDBC's URL, the fetch size, and the query
     */
    public static void main(String[] arguments) throws SQLException, IOException {
        try (Connection connection = DriverManager.getConnection(arguments[0]);
                Statement statement = connection.createStatement();
                PrintWriter out = new PrintWriter(
                        new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII)))) {
            connection.setAutoCommit(false);
            statement.setFetchSize(Integer.parseInt(arguments[1]));
            try (ResultSet rows = statement.executeQuery(arguments[2])) {
                print(rows, out);
            }
            connection.commit();
        }
    }

    private static void print(ResultSet rows, PrintWriter out) throws SQLException {
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            for (int column = 1; column <= columns; column++) {
                out.print(column > 1 ? "|" : "");
                out.print(rows.getString(column));
            }
            out.print('\n');
        }
    }
}
