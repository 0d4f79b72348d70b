package org.daedalus.workload;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The columns of schemas/tickets.sql, read from its text: what fits into them, and how many bytes a value packs to. */
final class Ddl {
    private static final Pattern COLUMN =
            Pattern.compile("(?m)^    ([a-z_]+) ([a-z]+)(?:\\((\\d+)(?:, (\\d+))?\\))?( NOT NULL)?.*,$");
    private static final int LENGTH_SIZE = 2;

    record Type(String name, String type, int length, int scale, boolean notNull) {
        boolean fits(Object value) {
            if (value == null) {
                return !notNull;
            }
            return switch (type) {
                case "char", "varchar" -> value instanceof String text && !text.isEmpty() && bytes(text) <= length
                        && (type.equals("varchar") || bytes(text) == length);
                case "smallint" -> value instanceof Long number && number == number.shortValue();
                case "bigint" -> value instanceof Long;
                case "numeric" -> value instanceof BigDecimal decimal && decimal.scale() == scale
                        && decimal.precision() <= length;
                case "bool" -> value instanceof Boolean;
                case "date" -> value instanceof LocalDate;
                case "timestamp" -> value instanceof LocalDateTime;
                default -> false;
            };
        }

        int packedSize(Object value) {
            if (value == null) {
                return 0;
            }
            return switch (type) {
                case "bool" -> 1;
                case "smallint" -> 2;
                case "date" -> 4;
                case "char", "varchar" -> LENGTH_SIZE + bytes((String) value);
                default -> 8;
            };
        }

        private static int bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8).length;
        }
    }

    private Ddl() {}

    static List<Type> columns() throws IOException {
        String text = Files.readString(TestWorld.REPOSITORY.resolve("schemas/tickets.sql"));
        List<Type> columns = new ArrayList<>();
        Matcher matcher = COLUMN.matcher(text);
        while (matcher.find()) {
            columns.add(new Type(matcher.group(1), matcher.group(2), number(matcher.group(3)), number(matcher.group(4)),
                    matcher.group(5) != null));
        }
        return columns;
    }

    /** NULL bits and values. */
    static int packedRowSize(List<Type> columns, List<Object> row) {
        int size = (columns.size() + 7) / 8;
        for (int column = 0; column < columns.size(); column++) {
            size += columns.get(column).packedSize(row.get(column));
        }
        return size;
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
