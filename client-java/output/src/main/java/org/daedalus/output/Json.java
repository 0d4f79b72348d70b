package org.daedalus.output;

/** Writes JSON, piece by piece, into one text. */
public final class Json {
    private final StringBuilder text = new StringBuilder();
    private boolean separate;

    public Json open(char bracket) {
        comma();
        text.append(bracket);
        separate = false;
        return this;
    }

    public Json close(char bracket) {
        text.append(bracket);
        separate = true;
        return this;
    }

    public Json key(String name) {
        comma();
        quote(name);
        text.append(':');
        separate = false;
        return this;
    }

    public Json string(String value) {
        if (value == null) {
            return literal("null");
        }
        comma();
        quote(value);
        separate = true;
        return this;
    }

    /** A number, true, false or null, as it is. */
    public Json literal(String value) {
        comma();
        text.append(value);
        separate = true;
        return this;
    }

    public Json number(long value) {
        return literal(Long.toString(value));
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private void comma() {
        if (separate) {
            text.append(',');
        }
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < ' ' || c == '\u2028' || c == '\u2029') {
                        text.append(String.format("\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
