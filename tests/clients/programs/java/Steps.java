import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;

/** Takes the steps of a program one after the other and prints each as a line of JSON: its answer, or its error. */
final class Steps {
    private Steps() {}

    static String url() {
        return "jdbc:postgresql://%s:%s/%s".formatted(of("PGHOST"), of("PGPORT"), of("PGDATABASE"));
    }

    static String user() {
        return of("PGUSER");
    }

    static void take(String step, Callable<?> action) {
        try {
            print(Map.of("step", step, "answer", json(action.call())));
        } catch (Exception error) {
            print(told(step, error));
        }
    }

    private static Map<String, String> told(String step, Throwable error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof SQLException said && said.getSQLState() != null) {
                return Map.of("step", step, "code", said.getSQLState(), "message", firstLine(said));
            }
        }
        return Map.of("step", step, "code", error.getClass().getSimpleName(), "message", firstLine(error));
    }

    private static String firstLine(Throwable error) {
        return String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    }

    private static void print(Map<String, String> line) {
        StringJoiner members = new StringJoiner(", ", "{", "}");
        line.forEach((name, value) -> members.add(quoted(name) + ": " + (name.equals("answer") ? value : quoted(value))));
        System.out.println(members);
    }

    private static String json(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return String.valueOf(value);
        }
        if (value instanceof Object[] items) {
            return json(List.of(items));
        }
        if (value instanceof Iterable<?> items) {
            StringJoiner joined = new StringJoiner(", ", "[", "]");
            items.forEach(item -> joined.add(json(item)));
            return joined.toString();
        }
        return quoted(String.valueOf(value));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            switch (each) {
                case '"', '\\' -> quoted.append('\\').append(each);
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                case '\r' -> quoted.append("\\r");
                default -> quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }

    private static String of(String name) {
        return System.getenv(name);
    }
}
