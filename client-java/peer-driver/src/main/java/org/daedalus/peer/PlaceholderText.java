package org.daedalus.peer;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.daedalus.workload.SqlStatement;

/** A statement of the workload as JDBC takes it: question marks for $1, $2, … and values by position. */
final class PlaceholderText {
    private static final Pattern NUMBERED = Pattern.compile("\\$\\d+");

    private PlaceholderText() {}

    /** Returns the text with a question mark for each placeholder; the workload numbers them as they come. */
    static String of(SqlStatement statement) {
        return NUMBERED.matcher(statement.text()).replaceAll("?");
    }

    /** Gives a prepared statement its values. */
    static void bind(SqlStatement statement, PreparedStatement prepared) throws SQLException {
        List<Object> values = statement.parameters();
        for (int position = 0; position < values.size(); position++) {
            prepared.setObject(position + 1, values.get(position));
        }
    }
}
