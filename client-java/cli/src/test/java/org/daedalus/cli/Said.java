package org.daedalus.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a command says during a test, on standard output and standard error together. */
public final class Said implements BeforeEachCallback, AfterEachCallback {
    private final PrintStream realOut = System.out;
    private final PrintStream realErr = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void beforeEach(ExtensionContext context) {
        PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        System.setOut(stream);
        System.setErr(stream);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        System.setOut(realOut);
        System.setErr(realErr);
    }

    /** Everything since the last {@link #forget()}. */
    public String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Begins anew. */
    public void forget() {
        bytes.reset();
    }
}
