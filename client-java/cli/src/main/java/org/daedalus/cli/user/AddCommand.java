package org.daedalus.cli.user;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.daedalus.cli.CliException;
import org.daedalus.cli.UsersOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** `daedalus user add`. */
@Command(name = "add", mixinStandardHelpOptions = true,
        description = {"Lets somebody log in.",
            "The password is asked for at the terminal, or is the first line of the standard input."})
final class AddCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "up to 63 bytes, without blanks")
    private String name;

    @Option(names = "--role", paramLabel = "reader|writer|operator", required = true,
            description = "reader: ask; writer: INSERT, UPDATE and DELETE, too; operator: everything there is")
    private String role;

    @Option(names = "--replace", description = "give somebody who is there another role and password")
    private boolean replaces;

    @Option(names = "--no-password", description = "only a client certificate of that name lets in")
    private boolean hasNoPassword;

    @Option(names = "--block-writes", paramLabel = "refuse|immediate", defaultValue = "",
            description = "what sessions of the user begin with as daedalus.block_writes: whether UPDATE and DELETE "
                + "are refused in a block, or each write of a block takes effect at once; default: as the aggregator "
                + "says")
    private String blockWrites;

    @Mixin
    private UsersOption users;

    @Override
    public Integer call() throws CliException, IOException {
        Path path = users.file();
        UsersFile file = UsersFile.read(path);
        UsersFile.checkName(name);
        String wanted = role.toLowerCase(Locale.ROOT);
        if (!UsersFile.ROLES.contains(wanted)) {
            throw CliException.usage("--role must be reader, writer or operator, not '" + role + "'");
        }
        if (!blockWrites.isEmpty() && !UsersFile.BLOCK_WRITES.contains(blockWrites)) {
            throw CliException.usage("--block-writes must be refuse or immediate, not '" + blockWrites + "'");
        }
        if (file.has(name) && !replaces) {
            throw CliException.usage("there is a user " + name + " already: --replace gives another role and password");
        }
        String verifier = UsersFile.NO_PASSWORD;
        if (!hasNoPassword) {
            byte[] salt = new byte[ScramVerifier.SALT_SIZE];
            new SecureRandom().nextBytes(salt);
            verifier = ScramVerifier.of(SaslPrep.prepare(PasswordSource.read(name)), salt);
        }
        file.with(new UsersFile.User(name, wanted, verifier, blockWrites)).write(path);
        System.out.println(name + " may log in as a " + wanted + ": " + path);
        return 0;
    }
}
