package org.daedalus.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Catches what a command says during a test, on standard output and on standard error. */
public final class Said implements BeforeEachCallback, AfterEachCallback {
    private final PrintStream realOut = System.out;
    private final PrintStream realErr = System.err;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Override
    public void beforeEach(ExtensionContext context) {
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        System.setOut(realOut);
        System.setErr(realErr);
    }

    /** Returns what came on standard output since the last {@link #forget()}. */
    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Returns what came on standard error since the last {@link #forget()}. */
    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** The one, then the other. */
    public String text() {
        return out() + err();
    }

    /** Begins anew. */
    public void forget() {
        out.reset();
        err.reset();
    }
}
