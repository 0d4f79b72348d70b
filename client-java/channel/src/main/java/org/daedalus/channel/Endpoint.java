package org.daedalus.channel;

/**
 * host:port; an IPv6 host stands in brackets.
 *
 * @param host without brackets
 */
public record Endpoint(String host, int port) {
    private static final int PORT_MAX = 65_535;

    /** Parses host:port; throws IllegalArgumentException that says what is wrong. */
    public static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int port;
        try {
            port = Integer.parseInt(text.substring(colon + 1));
        } catch (NumberFormatException e) {
            port = -1;
        }
        if (host.isEmpty() || port < 1 || port > PORT_MAX) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT");
        }
        return new Endpoint(host, port);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
