package org.daedalus.cli.user;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.daedalus.cli.CliException;
import org.daedalus.cli.UsersOption;
import org.daedalus.output.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** `daedalus user list`. */
@Command(name = "list", mixinStandardHelpOptions = true, description = "Says who may log in, and do what.")
final class ListCommand implements Callable<Integer> {
    private static final String[] HEAD = {"user", "role", "logs in with"};

    @Mixin
    private UsersOption users;

    @Override
    public Integer call() throws CliException, IOException {
        Path path = users.file();
        List<String[]> rows = UsersFile.read(path).users().stream()
                .map(user -> new String[] {user.name(), user.role(),
                    user.verifier().equals(UsersFile.NO_PASSWORD) ? "a certificate" : "a password"})
                .toList();
        StringBuilder text = new StringBuilder();
        new TextTable(HEAD, new Boolean[] {false, false, false}).render(rows, text);
        System.out.print(text);
        return 0;
    }
}
