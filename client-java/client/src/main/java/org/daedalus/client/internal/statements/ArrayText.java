package org.daedalus.client.internal.statements;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.daedalus.client.ValueText;
import org.daedalus.wire.Interval;

/** Arrays of Java as PostgreSQL spells arrays of one dimension: {1,NULL,"a, b"}. */
final class ArrayText {
    private ArrayText() {}

    /**
     * Spells {@code value} as an array of SQL.
     *
     * @param value an array, of primitives, too, or a collection
     * @throws IllegalArgumentException for an element that cannot be a parameter, or that is an array itself
     */
    static String of(Object value) {
        return elements(value).stream().map(ArrayText::element).collect(Collectors.joining(",", "{", "}"));
    }

    private static Collection<?> elements(Object value) {
        if (value instanceof Collection<?> collection) {
            return collection;
        }
        List<Object> elements = new ArrayList<>();
        for (int index = 0; index < Array.getLength(value); index++) {
            elements.add(Array.get(value, index));
        }
        return elements;
    }

    private static String element(Object value) {
        if (value instanceof Collection<?> || value != null && value.getClass().isArray()) {
            throw new IllegalArgumentException("an array of arrays cannot be a parameter: columns are compared with"
                    + " arrays of one dimension");
        }
        Parameters.Typed typed = Parameters.of(value);
        if (typed.value() == null) {
            return "NULL";
        }
        boolean isText = typed.value() instanceof String || typed.value() instanceof Interval;
        String text = isText ? typed.value().toString() : ValueText.format(typed.type(), typed.value());
        return isText ? "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"" : text;
    }
}
