package org.daedalus.cli.user;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.daedalus.cli.CliException;
import org.daedalus.cli.UsersOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** `daedalus user remove`. */
@Command(name = "remove", mixinStandardHelpOptions = true,
        description = "Lets somebody log in no longer; who is logged in is refused every further statement.")
final class RemoveCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME")
    private String name;

    @Mixin
    private UsersOption users;

    @Override
    public Integer call() throws CliException, IOException {
        Path path = users.file();
        UsersFile file = UsersFile.read(path);
        if (!file.has(name)) {
            throw CliException.failed("there is no user " + name + " in " + path);
        }
        file.without(name).write(path);
        System.out.println(name + " may log in no longer: " + path);
        return 0;
    }
}
