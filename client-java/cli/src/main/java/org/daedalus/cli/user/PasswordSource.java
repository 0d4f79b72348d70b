package org.daedalus.cli.user;

import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.daedalus.cli.CliException;

/** Reads a password: typed twice and not shown, or from the first line of the standard input. */
final class PasswordSource {
    private static final int SIZE_MAX = 1_024;

    private PasswordSource() {}

    static byte[] read(String user) throws CliException, IOException {
        Console console = System.console();
        byte[] password = console == null ? firstLine(System.in) : typed(console, user);
        if (password.length == 0) {
            throw CliException.usage("the password is empty");
        }
        if (password.length > SIZE_MAX) {
            throw CliException.usage("a password has up to " + SIZE_MAX + " bytes");
        }
        return password;
    }

    private static byte[] typed(Console console, String user) throws CliException {
        char[] first = console.readPassword("Password of %s: ", user);
        char[] second = first == null ? null : console.readPassword("Once more: ");
        if (second == null) {
            throw CliException.usage("no password was given");
        }
        if (!Arrays.equals(first, second)) {
            throw CliException.usage("these were two different passwords: nothing is changed");
        }
        return new String(first).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] firstLine(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = input.read(); next >= 0 && next != '\n' && line.size() <= SIZE_MAX; next = input.read()) {
            line.write(next);
        }
        byte[] bytes = line.toByteArray();
        boolean endsInReturn = bytes.length > 0 && bytes[bytes.length - 1] == '\r';
        return endsInReturn ? Arrays.copyOf(bytes, bytes.length - 1) : bytes;
    }
}
