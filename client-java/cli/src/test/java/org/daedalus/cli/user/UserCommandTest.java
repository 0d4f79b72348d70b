package org.daedalus.cli.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class UserCommandTest {
    @RegisterExtension
    private final Said said = new Said();

    private final InputStream realIn = System.in;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = directory.resolve("users");
    }

    @AfterEach
    void release() {
        System.setIn(realIn);
    }

    private int run(String password, String... arguments) {
        System.setIn(new ByteArrayInputStream(password.getBytes(StandardCharsets.UTF_8)));
        String[] all = new String[arguments.length + 3];
        all[0] = "user";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 2] = "--users";
        all[all.length - 1] = file.toString();
        return Main.runCommand(all);
    }

    @Test
    void shouldSayHowBlocksOfTheUserWrite() throws Exception {
        assertThat(run("", "add", "ada", "--role=writer", "--no-password", "--block-writes=immediate")).isZero();
        assertThat(Files.readString(file)).endsWith("\nada writer - block_writes=immediate\n");
        assertThat(run("", "add", "bob", "--role=writer", "--no-password")).isZero();
        assertThat(Files.readString(file)).endsWith("\nada writer - block_writes=immediate\nbob writer -\n");
        assertThat(run("", "add", "eve", "--role=writer", "--no-password", "--block-writes=later")).isEqualTo(2);
        Files.writeString(file, "ada writer - block_writes=later\n");
        assertThat(run("", "list")).isEqualTo(1);
        assertThat(said.err()).contains("line 1: a line is NAME ROLE VERIFIER");
    }

    @Test
    void shouldAddReplaceAndRemoveAndKeepWhatMeansNothing() throws Exception {
        Files.writeString(file, "# of ours\n\nold operator -\n");
        assertThat(run("secret\n", "add", "ada", "--role=reader")).isZero();
        assertThat(Files.readString(file)).matches(
                "#salt-key [A-Za-z0-9+/]{43}=\n# of ours\n\nold operator -\nada reader SCRAM-SHA-256\\$4096:.*\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        String before = Files.readString(file);
        assertThat(run("secret\n", "add", "ada", "--role=writer")).isEqualTo(2);
        assertThat(Files.readString(file)).isEqualTo(before);
        assertThat(run("secret\n", "add", "ada", "--role=Writer", "--replace")).isZero();
        assertThat(Files.readString(file)).startsWith(before.substring(0, before.indexOf("ada")) + "ada writer SCRAM-")
                .hasLineCount(5);
        assertThat(run("", "remove", "old")).isZero();
        assertThat(run("", "remove", "old")).isEqualTo(1);
        assertThat(run("", "add", "eve", "--role=reader", "--no-password")).isZero();
        assertThat(Files.readString(file)).endsWith("\neve reader -\n").doesNotContain("old", "secret");
        said.forget();
        assertThat(run("", "list")).isZero();
        assertThat(said.out()).contains("ada  | writer | a password", "eve  | reader | a certificate");
    }

    @Test
    void shouldRefuseWithoutTouchingTheFile() throws Exception {
        for (String[] wrong : new String[][] {{"secret", "add", "ada"}, {"secret", "add", "ada", "--role=king"},
            {"secret", "add", "a da", "--role=reader"}, {"secret", "add", "#ada", "--role=reader"},
            {"secret", "add", "x".repeat(64), "--role=reader"}, {"", "add", "ada", "--role=reader"},
            {"x".repeat(1_025), "add", "ada", "--role=reader"}}) {
            String[] arguments = java.util.Arrays.copyOfRange(wrong, 1, wrong.length);
            assertThat(run(wrong[0], arguments)).as(String.join(" ", arguments)).isEqualTo(2);
            assertThat(file).doesNotExist();
        }
        Files.writeString(file, "ada reader\n");
        assertThat(run("secret", "add", "bob", "--role=reader")).isEqualTo(1);
        assertThat(Files.readString(file)).isEqualTo("ada reader\n");
    }

    @Test
    void shouldTakeTheFirstLineAsThePassword() throws Exception {
        assertThat(PasswordSource.firstLine(new ByteArrayInputStream("one\r\ntwo".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("one".getBytes(StandardCharsets.UTF_8));
        assertThat(PasswordSource.firstLine(new ByteArrayInputStream("one".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("one".getBytes(StandardCharsets.UTF_8));
    }
}
