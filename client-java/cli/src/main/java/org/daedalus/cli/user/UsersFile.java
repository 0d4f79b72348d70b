package org.daedalus.cli.user;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.daedalus.cli.CliException;
import org.daedalus.cli.DurableFile;

/**
 * The file of those who may log in by PostgreSQL's protocol: a line "NAME ROLE VERIFIER [block_writes=...]" each
 * (docs/postgres.md), a key of salts for those who may not, and lines that mean nothing, which stay where they are.
 */
public final class UsersFile {
    static final List<String> ROLES = List.of("reader", "writer", "operator");

    /** The values of --block-writes. */
    static final List<String> BLOCK_WRITES = List.of("refuse", "immediate");

    private static final String BLOCK_WRITES_WORD = "block_writes=";

    /** Stands in the place of a verifier. */
    static final String NO_PASSWORD = "-";

    private static final int NAME_SIZE_MAX = 63;
    private static final Pattern BLANKS = Pattern.compile("[ \t\r]+");
    private static final String HEAD = "# Who may log in by PostgreSQL's protocol: NAME ROLE VERIFIER. "
            + "`daedalus user` writes it.\n";
    private static final String SALT_KEY = "#salt-key";
    private static final int SALT_KEY_SIZE = 32;

    private final List<String> lines;
    private final List<User> users;

    /**
     * One line.
     *
     * @param blockWrites what sessions of the user begin with as daedalus.block_writes; empty: as the aggregator says
     */
    record User(String name, String role, String verifier, String blockWrites) {
        String line() {
            String line = name + " " + role + " " + verifier;
            return blockWrites.isEmpty() ? line : line + " " + BLOCK_WRITES_WORD + blockWrites;
        }
    }

    private UsersFile(List<String> lines) throws CliException {
        this.lines = lines;
        this.users = new ArrayList<>();
        for (int number = 1; number <= lines.size(); number++) {
            User user = parse(lines.get(number - 1), number);
            if (user != null) {
                users.add(user);
            }
        }
    }

    /** Makes a file without users where there is none. */
    public static void make(Path path) throws IOException {
        if (!Files.exists(path)) {
            DurableFile.replace(path, HEAD + drawSaltKey() + "\n");
        }
    }

    /** Returns a line with a key that nobody can guess. */
    private static String drawSaltKey() {
        byte[] key = new byte[SALT_KEY_SIZE];
        new SecureRandom().nextBytes(key);
        return SALT_KEY + " " + Base64.getEncoder().encodeToString(key);
    }

    /** One that does not exist has no users. */
    static UsersFile read(Path path) throws CliException, IOException {
        if (!Files.exists(path)) {
            return new UsersFile(List.of(HEAD.strip()));
        }
        try {
            return new UsersFile(Files.readAllLines(path));
        } catch (CharacterCodingException e) {
            throw CliException.failed(path + " is not UTF-8: it is no users file, or damaged");
        } catch (CliException e) {
            throw CliException.failed(path + ", " + e.getMessage());
        }
    }

    /** Reads a line; returns null where it means nothing. */
    private static User parse(String line, int number) throws CliException {
        String text = line.strip();
        if (text.isEmpty() || text.startsWith("#")) {
            return null;
        }
        String[] words = BLANKS.split(text);
        String blockWrites = words.length == 4 ? afterPrefix(words[3], BLOCK_WRITES_WORD) : "";
        boolean isKnown = blockWrites.isEmpty() ? words.length == 3 : BLOCK_WRITES.contains(blockWrites);
        if (!isKnown || !ROLES.contains(words[1])) {
            throw CliException.failed("line " + number + ": a line is NAME ROLE VERIFIER, with the role reader, writer "
                    + "or operator, and block_writes=refuse or block_writes=immediate behind it, or nothing");
        }
        return new User(words[0], words[1], words[2], blockWrites);
    }

    /** Returns the rest of the word behind the prefix; empty where the prefix is not there. */
    private static String afterPrefix(String word, String prefix) {
        return word.startsWith(prefix) ? word.substring(prefix.length()) : "";
    }

    static void checkName(String name) throws CliException {
        boolean isPlain = name.codePoints().noneMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c));
        int size = name.getBytes(StandardCharsets.UTF_8).length;
        if (!isPlain || size == 0 || size > NAME_SIZE_MAX || name.startsWith("#")) {
            throw CliException.usage("a user's name has up to " + NAME_SIZE_MAX
                    + " bytes, no blanks, and does not begin with #");
        }
    }

    List<User> users() {
        return users;
    }

    boolean has(String name) {
        return users.stream().anyMatch(user -> user.name().equals(name));
    }

    /** Returns a copy with this user, in the place of one of that name, and with a key of salts. */
    UsersFile with(User user) throws CliException {
        String name = user.name();
        String line = user.line();
        List<String> changed = new ArrayList<>();
        if (lines.stream().noneMatch(old -> isOf(old, SALT_KEY))) {
            changed.add(drawSaltKey());
        }
        boolean isNew = true;
        for (String old : lines) {
            boolean isThat = isOf(old, name);
            isNew &= !isThat;
            changed.add(isThat ? line : old);
        }
        if (isNew) {
            changed.add(line);
        }
        return new UsersFile(changed);
    }

    UsersFile without(String name) throws CliException {
        return new UsersFile(lines.stream().filter(line -> !isOf(line, name)).toList());
    }

    private static boolean isOf(String line, String name) {
        return BLANKS.split(line.strip())[0].equals(name);
    }

    /** Replaces the file; only its owner may read it. */
    void write(Path path) throws IOException {
        DurableFile.replace(path, String.join("\n", lines) + "\n");
    }
}
